import type { Client, KubeObject } from '@hawser/client';
import type { BackoffOptions, Clock, Random } from '@hawser/clock';
import { type Labels, type Logger, inSpan } from '@hawser/telemetry';
import { Cache } from './cache.js';
import { type CacheKey, type ClusterOf, keyFunction } from './cache-key.js';
import { type Change, Handlers, type ObjectChange } from './handlers.js';
import type { InformerHandler, InformerSpec, InformerState, Subscription } from './informer.js';
import { type InformerMetrics, labelsOf } from './informer-metrics.js';
import { createProjection } from './projection.js';
import { selects } from './label-selector.js';
import { Reflector } from './reflector.js';
import { Store } from './store.js';
import type { IndexFunction } from './store-index.js';
import { SyncWaiters } from './sync-waiters.js';

export interface SharedInformerOptions {
  readonly spec: InformerSpec;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: InformerMetrics;
  readonly pageSize: number;
  readonly stallTimeoutMs: number;
  readonly backoff: BackoffOptions;
  readonly clusterOf: ClusterOf | undefined;
}

/** A name that no caller gives to an index. */
const BY_CLUSTER = '\0cluster';

/** Shared state of all handles of one spec: the reflector, its cache, and the handlers. */
export class SharedInformer {
  readonly spec: InformerSpec;
  readonly store = new Store();
  readonly waiters = new SyncWaiters();
  readonly #options: SharedInformerOptions;
  readonly #logger: Logger;
  readonly #labels: Labels;
  readonly #keyOf: (object: KubeObject) => CacheKey;
  readonly #handlers: Handlers;
  readonly #cache: Cache;
  readonly #reflector: Reflector;
  readonly #stateListeners = new Set<(state: InformerState) => void>();
  #heardAt = -Infinity;
  /** The last error logged as a warning. */
  #lastWarned: string | undefined;
  #stopped = false;
  /** This informer's share of the gauge; may differ from the store while a change is being delivered. */
  #counted = 0;

  constructor(options: SharedInformerOptions) {
    const { spec } = options;
    this.spec = spec;
    this.#options = options;
    this.#labels = labelsOf(options.client.name, spec);
    this.#logger = options.logger.child({
      ...this.#labels,
      ...(spec.namespace === undefined ? {} : { namespace: spec.namespace }),
    });
    this.#keyOf = keyFunction(options.clusterOf);
    this.#handlers = new Handlers((error, change) => {
      this.#onHandlerError(error, change);
    });
    this.#cache = new Cache({
      store: this.store,
      project: createProjection(spec),
      keyOf: this.#keyOf,
      deliver: (change, by) => {
        this.#deliver(change, by);
      },
      restored: () => {
        this.#handlers.deliver({ kind: 'restored' });
      },
    });
    this.#reflector = new Reflector({
      ...options,
      logger: this.#logger,
      cache: this.#cache,
      observer: {
        onState: (state) => {
          this.#onState(state);
        },
        onListed: () => {
          this.waiters.resolveAll();
        },
        onRelist: (reason) => {
          options.metrics.relists.inc({ ...this.#labels, reason });
        },
        onWatchEnd: (reason) => {
          options.metrics.watchRestarts.inc({ ...this.#labels, reason });
        },
        onHeard: () => {
          this.#onHeard();
        },
        onUnusable: (object, error) => {
          this.#onUnusable(object, error);
        },
      },
    });
  }

  get state(): InformerState {
    return this.#reflector.state;
  }

  get hasSynced(): boolean {
    return this.#cache.synced;
  }

  get isCurrent(): boolean {
    return this.#reflector.isCurrent;
  }

  start(): void {
    this.#reflector.start();
  }

  /** Drops the cache at once; handlers see no more changes. Resolves when nothing is left. Call it once. */
  stop(): Promise<void> {
    const { objects, lastHeard } = this.#options.metrics;
    this.#stopped = true;
    this.#handlers.clear();
    const stopped = this.#reflector.stop();
    this.#stateListeners.clear();
    this.waiters.rejectAll();
    objects.inc(this.#labels, -this.#counted);
    lastHeard.remove(this.#labels);
    this.store.clear();
    return stopped;
  }

  /** `by`: the share of the handler, see {@link InformerHandler}. */
  addHandler(handler: InformerHandler<KubeObject>, by: object): Subscription {
    return this.#handlers.add(handler, this.store.entries(), by);
  }

  list(namespace: string | undefined, cluster: string | undefined): readonly KubeObject[] {
    if (cluster === undefined) return this.store.list(namespace);
    const { clusterOf } = this.#options;
    // Created for the first list of one cluster, and kept up to date from then on.
    this.store.addIndex(BY_CLUSTER, (object) => {
      const own = clusterOf?.(object) ?? '';
      return [own, `${own}|${object.metadata.namespace ?? ''}`];
    });
    return this.store.byIndex(BY_CLUSTER, namespace === undefined ? cluster : `${cluster}|${namespace}`);
  }

  onStateChange(listener: (state: InformerState) => void): Subscription {
    // An own closure: the same function can be registered twice.
    const own = (state: InformerState): void => {
      listener(state);
    };
    this.#stateListeners.add(own);
    return {
      close: () => {
        this.#stateListeners.delete(own);
      },
    };
  }

  addIndex(name: string, valuesOf: IndexFunction): void {
    this.store.addIndex(name, (object) => {
      try {
        return valuesOf(object);
      } catch (error) {
        this.#countError();
        this.#logger.error('an index function failed', { index: name, key: this.#keyOf(object), error });
        return [];
      }
    });
  }

  share(key: CacheKey, like: KubeObject): void {
    this.#cache.share(key, like);
  }

  relist(): void {
    this.#reflector.relist();
  }

  observe(object: KubeObject, by: object): void {
    const { namespace, labelSelector, fieldSelector, projection } = this.spec;
    const { clusterOf } = this.#options;
    // Without a cluster it would be another object.
    if (clusterOf !== undefined && clusterOf(object) === undefined) return;
    // The answer to a metadata-only write would replace the whole object: the watch does not deliver a version twice.
    if (projection !== 'metadata' && object.kind === 'PartialObjectMetadata') return;
    if (namespace !== undefined && namespace !== '' && object.metadata.namespace !== namespace) return;
    // Only the server can evaluate a field selector.
    const isSelected = (fieldSelector ?? '') === '' && selects(labelSelector ?? '', object.metadata.labels) === true;
    this.#cache.observe(object, !isSelected, by);
  }

  #deliver(change: ObjectChange, by: object | undefined): void {
    // A handler may stop the informer between the two halves of a recreation.
    if (this.#stopped) return;
    if (change.kind !== 'update') {
      const by = change.kind === 'add' ? 1 : -1;
      this.#counted += by;
      this.#options.metrics.objects.inc(this.#labels, by);
    }
    inSpan(
      '@hawser/informer',
      `${change.kind} ${this.spec.resource.resource}`,
      () => ({ ...this.#labels, key: change.key }),
      () => {
        this.#handlers.deliver(change, by);
      },
    );
  }

  #onState(state: InformerState): void {
    if (state.phase === 'waiting') {
      const { error, failures } = state;
      // Retries are endless: log each answer once as a warning.
      const answer = error.message;
      this.#logger[answer === this.#lastWarned ? 'debug' : 'warn']('an informer waits before it tries again', {
        failures,
        error,
      });
      this.#lastWarned = answer;
    } else if (state.phase === 'watching') this.#lastWarned = undefined;
    for (const listener of this.#stateListeners) {
      try {
        listener(state);
      } catch (error) {
        this.#countError();
        this.#logger.error('a listener to an informer’s state failed', { phase: state.phase, error });
      }
    }
  }

  /** Updates the gauge at most once a second: setting it costs more than the event. */
  #onHeard(): void {
    const { clock, metrics } = this.#options;
    const at = clock.monotonic();
    if (this.#stopped || at - this.#heardAt < 1000) return;
    this.#heardAt = at;
    metrics.lastHeard.set(clock.now() / 1000, this.#labels);
  }

  #onHandlerError(error: unknown, change: Change): void {
    this.#countError();
    this.#logger.error('an informer handler failed', {
      change: change.kind,
      ...(change.kind === 'restored' ? {} : { key: change.key }),
      error,
    });
  }

  #onUnusable(object: KubeObject | undefined, error: unknown): void {
    this.#countError();
    if (object === undefined) {
      this.#logger.error(
        'an object without a usable name could not be read; while there is one, no object counts as gone because a list lacks it',
        { error },
      );
      return;
    }
    const { namespace, name } = object.metadata;
    this.#logger.error('an object could not be read; what was known of it before stays', {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      error,
    });
  }

  #countError(): void {
    this.#options.metrics.handlerErrors.inc(this.#labels);
  }
}
