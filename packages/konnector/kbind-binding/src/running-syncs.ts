import type { Setup } from '@hawser/controller';
import { annotations, type Binding, labels, pairDialect } from '@hawser/core-kbind';
import type { ProviderLink } from '@hawser/kbind-connection';
import {
  type BindingPolicy,
  createIdentityNamespaces,
  createSync,
  readBindingPolicy,
  type ServiceNamespaces,
  shareReadings,
  type Sync,
  type WriterShares,
} from '@hawser/konnector-sync';
import { nameOf } from './coverage.js';
import type { SyncConfig, SyncReading } from './observed.js';
import { readProof } from './prove.js';
import type { Routes } from './router.js';

interface Running {
  readonly config: SyncConfig;
  readonly sync: Sync;
  /** Version of the rules that last judged its objects. */
  version: string;
}

/** An API of a binding whose objects are kept in step. */
export interface BoundSync {
  /** Key of the binding: `name`, or `namespace/name`. */
  readonly key: string;
  readonly config: SyncConfig;
  readonly sync: Pick<Sync, 'why' | 'troubles' | 'surveyed'>;
}

export interface RunningSyncsOptions {
  readonly setup: Setup<'consumer'>;
  readonly routes: Routes;
  /** Concurrent object writes per API. Default: that of `@hawser/konnector-sync`. */
  readonly concurrency: number | undefined;
  readonly writers: WriterShares | undefined;
}

/** Objects on the provider have no owner here. */
const noOwner = { apiVersion: 'v1', kind: 'None', name: '', uid: '' };

/** The syncs of all bindings: one for each API of each. */
export class RunningSyncs {
  readonly #options: RunningSyncsOptions;
  readonly #running = new Map<string, Map<string, Running>>();
  readonly #namespaces = new WeakMap<ProviderLink, ServiceNamespaces>();

  constructor(options: RunningSyncsOptions) {
    this.#options = options;
  }

  read(key: string, api: string): SyncReading | undefined {
    const running = this.#running.get(key)?.get(api);
    if (running === undefined) return undefined;
    const { config, sync } = running;
    return { config, surveyed: sync.surveyed, problems: sync.problems(), troubles: sync.troubles() };
  }

  all(): readonly BoundSync[] {
    return [...this.#running].flatMap(([key, ofKey]) => [...ofKey.values()].map((running) => ({ key, ...running })));
  }

  /** Names of a binding's APIs that are kept in step. */
  apis(key: string): readonly string[] {
    return [...(this.#running.get(key)?.keys() ?? [])];
  }

  /** Replaces the running sync. Does nothing over a link that has ended. */
  async start(key: string, binding: Binding, config: SyncConfig): Promise<void> {
    await this.stop(key, config.api);
    if (config.link.ended.aborted) return;
    const sync = this.#create(key, binding, config);
    const ofKey = this.#running.get(key) ?? new Map<string, Running>();
    this.#running.set(key, ofKey);
    const { setup, routes } = this.#options;
    ofKey.set(config.api, { config, sync, version: routes.version(config.api) });
    // A cache that cannot be filled does not block other syncs.
    sync.start(setup.scope.signal).catch((error: unknown) => {
      setup.logger.debug('A sync has ended before its objects were listed', { key, error });
    });
  }

  async stop(key: string, api: string): Promise<void> {
    const ofKey = this.#running.get(key);
    const running = ofKey?.get(api);
    ofKey?.delete(api);
    if (ofKey?.size === 0) this.#running.delete(key);
    await running?.sync.stop();
  }

  /** Resolves when nothing is sent to that provider any more. */
  async stopAll(link?: ProviderLink): Promise<void> {
    await Promise.all(
      [...this.#running].flatMap(([key, ofKey]) =>
        [...ofKey.values()]
          .filter(({ config }) => link === undefined || config.link === link)
          .map(({ config }) => this.stop(key, config.api)),
      ),
    );
  }

  /** Applies the current policies of the binding, and the current routing rules of all bindings. */
  follow(key: string, binding: Binding): void {
    for (const running of this.#running.get(key)?.values() ?? []) {
      running.sync.use(policyOf(binding));
      const version = this.#options.routes.version(running.config.api);
      if (version === running.version) continue;
      running.version = version;
      running.sync.recheck();
    }
  }

  #create(key: string, binding: Binding, config: SyncConfig): Sync {
    const { setup, routes, concurrency, writers } = this.#options;
    const { clusters, clock, random, logger, metrics } = setup;
    const { consumer } = clusters;
    const { link } = config;
    return createSync({
      name: key,
      resource: { group: config.group, version: config.version, resource: config.plural },
      namespace: config.namespace,
      settings: {
        dialect: dialectOf(link),
        binding: nameOf(binding),
        isolation: 'Identity',
        clusterNamespace: '',
        clusterNamespaceUid: '',
        consumerCluster: link.localUID,
        statusSubresource: config.statusSubresource,
        policy: policyOf(binding),
        draining: config.draining ? { except: [] } : undefined,
      },
      router: routes.router({ key, connection: link.connection }, config.api),
      informerScope: 'Cluster',
      consumer,
      provider: link.cluster,
      namespaces: this.#namespacesOf(link),
      exportOwner: noOwner,
      prove: shareReadings(() => readProof(consumer.client, binding, config.api, config.draining)),
      confirmProvider: shareReadings(link.confirm),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(writers === undefined ? {} : { writers }),
      clock,
      random,
      logger,
      metrics,
      onProblems: () => {
        setup.look(key);
      },
    });
  }

  #namespacesOf(link: ProviderLink): ServiceNamespaces {
    const known = this.#namespaces.get(link);
    if (known !== undefined) return known;
    const { clock } = this.#options.setup;
    const made = createIdentityNamespaces({
      client: link.cluster.client,
      labels: { [labels.managed]: 'true', [annotations.consumerClusterUID]: link.localUID },
      now: () => clock.monotonic(),
    });
    this.#namespaces.set(link, made);
    return made;
  }
}

/** Objects with a copy at a Connection name that Connection. */
function dialectOf({ connection }: ProviderLink): typeof pairDialect {
  return { ...pairDialect, marks: { ...pairDialect.marks, withFinalizer: { [annotations.servedBy]: connection } } };
}

/** The operator's policy: conflicts by the spec, the rest by the annotations of all dialects. */
function policyOf({ metadata, spec }: Binding): BindingPolicy {
  return { ...readBindingPolicy({ binding: metadata }).policy, conflicts: spec.conflictPolicy ?? 'Fail' };
}
