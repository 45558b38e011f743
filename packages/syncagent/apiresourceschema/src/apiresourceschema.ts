import { type Controller, type ControllerContext, type Queue, type Scope, createController } from '@hawser/controller';
import { type Agent, type Discover, createStatusWriter } from '@hawser/publication';
import { Actor } from './act.js';
import { Caches, isInGroup } from './caches.js';
import { type PublicationPorts, PublicationRun } from './publication-run.js';
import { WantedSchemas } from './wanted-schemas.js';

export interface APIResourceSchemaOptions {
  readonly agent: Agent;
  readonly discover: Discover;
  /** How often types without a CRD are looked at: nothing tells when they change. Default 10 min. */
  readonly recheckMs?: number | undefined;
}

type ClusterNames = 'service' | 'provider';

const name = 'syncagent-apiresourceschema';

/**
 * Makes the APIResourceSchema of each PublishedResource in the provider workspace, and names it in the status (`spec/api-syncagent.md §10.1`). A changed schema
 * becomes another one; those that were are kept. One that breaks something is held where the PublishedResource says so.
 */
export function createAPIResourceSchema(options: APIResourceSchemaOptions): Controller<ClusterNames> {
  return createController<ClusterNames>(name, (ctx, scope) => new SchemaController(options, ctx, scope).open());
}

/** What is watched becomes keys here, the names of PublishedResources, and keys become looks. */
class SchemaController {
  readonly #caches: Caches;
  readonly #scope: Scope;
  readonly #queue: Queue;
  readonly #ports: PublicationPorts;

  constructor(options: APIResourceSchemaOptions, ctx: ControllerContext<ClusterNames>, scope: Scope) {
    const { agent, recheckMs = 600_000 } = options;
    const { service, provider } = ctx.clusters;
    const { clock, random, logger } = ctx;
    const caches = new Caches(ctx.clusters, scope, agent);
    const { publishedResources, definitions } = caches;
    const writer = createStatusWriter({
      client: service.client,
      publishedResources,
      definitions,
      clock,
      random,
      logger,
    });
    this.#caches = caches;
    this.#scope = scope;
    this.#ports = {
      agent,
      client: provider.client,
      caches,
      wanted: this.#wanted(options, ctx),
      actor: new Actor(ctx, agent, caches, writer),
      recheckMs: () => recheckMs * (1 - 0.2 * random()),
    };
    this.#queue = scope.openQueue({
      name,
      concurrency: 4,
      reconcile: (key, signal) => new PublicationRun(this.#ports, key).run(signal),
    });
  }

  async open(): Promise<void> {
    const { publishedResources, definitions, schemas } = this.#caches;
    const { wanted } = this.#ports;
    this.#caches.onExportChange(this.#scope, () => {
      wanted.lookAtKept();
    });
    this.#scope.onChange(publishedResources, ({ metadata }) => {
      this.#queue.add(metadata.name, { resetBackoff: true });
      wanted.lookAtKept();
    });
    this.#scope.onChange(definitions, ({ metadata }) => {
      for (const object of publishedResources.list())
        if (isInGroup(metadata.name, object)) this.#queue.add(object.metadata.name, { resetBackoff: true });
    });
    this.#scope.own(
      schemas.addHandler({
        onDelete: ({ metadata }) => {
          for (const object of publishedResources.list())
            if (object.status?.resourceSchemaName === metadata.name) this.#queue.add(object.metadata.name);
        },
      }),
    );
    await this.#scope.synced();
  }

  #wanted({ agent, discover }: APIResourceSchemaOptions, { clusters }: ControllerContext<ClusterNames>): WantedSchemas {
    return new WantedSchemas({
      agent,
      discover,
      client: clusters.provider.client,
      caches: this.#caches,
      lookAt: (of) => {
        this.#queue.add(of);
      },
    });
  }
}
