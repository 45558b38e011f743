import { type Controller, createController } from '@hawser/controller';
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

const name = 'syncagent-apiresourceschema';

/**
 * Makes the APIResourceSchema of each PublishedResource in the provider workspace, and names it in the status (`spec/api-syncagent.md §10.1`). A changed schema
 * becomes another one; those that were are kept. One that breaks something is held where the PublishedResource says so.
 */
export function createAPIResourceSchema({
  agent,
  discover,
  recheckMs = 600_000,
}: APIResourceSchemaOptions): Controller<'service' | 'provider'> {
  return createController<'service' | 'provider'>(name, async (ctx, scope) => {
    const {
      clock,
      random,
      logger,
      clusters: { service, provider },
    } = ctx;
    const caches = new Caches(ctx.clusters, scope, agent);
    const { publishedResources, definitions, schemas } = caches;
    const writer = createStatusWriter({
      client: service.client,
      publishedResources,
      definitions,
      clock,
      random,
      logger,
    });
    const wanted = new WantedSchemas({
      agent,
      discover,
      client: provider.client,
      caches,
      lookAt: (of) => {
        queue.add(of);
      },
    });
    const ports: PublicationPorts = {
      agent,
      client: provider.client,
      caches,
      wanted,
      actor: new Actor(ctx, agent, caches, writer),
      recheckMs: () => recheckMs * (1 - 0.2 * random()),
    };
    const queue = scope.openQueue({
      name,
      concurrency: 4,
      reconcile: (key, signal) => new PublicationRun(ports, key).run(signal),
    });

    caches.onExportChange(scope, () => {
      wanted.lookAtKept();
    });
    scope.onChange(publishedResources, ({ metadata }) => {
      queue.add(metadata.name, { resetBackoff: true });
      wanted.lookAtKept();
    });
    scope.onChange(definitions, ({ metadata }) => {
      for (const object of publishedResources.list())
        if (isInGroup(metadata.name, object)) queue.add(object.metadata.name, { resetBackoff: true });
    });
    scope.own(
      schemas.addHandler({
        onDelete: ({ metadata }) => {
          for (const object of publishedResources.list())
            if (object.status?.resourceSchemaName === metadata.name) queue.add(object.metadata.name);
        },
      }),
    );
    await scope.synced();
  });
}
