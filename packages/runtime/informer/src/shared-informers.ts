import type { Client, KubeObject } from '@hawser/client';
import type { BackoffOptions, Clock, Random } from '@hawser/clock';
import type { Logger, Metrics } from '@hawser/telemetry';
import type { ClusterOf } from './cache-key.js';
import type { InformerHandle, InformerSpec, SharedInformers } from './informer.js';
import { InformerError } from './informer-error.js';
import { SharedInformerHandle } from './informer-handle.js';
import { type InformerMetrics, createInformerMetrics } from './informer-metrics.js';
import { SharedInformer } from './shared-informer.js';

export interface SharedInformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Objects per page of a list. Default 500: a page of 20 000 would block the event loop for a fifth of a second. */
  readonly pageSize?: number | undefined;
  /**
   * A watch without any event or bookmark for this long is closed and opened anew. Servers send a bookmark about once a
   * minute. Default 150 000 ms.
   */
  readonly stallTimeoutMs?: number | undefined;
  /** Back-off between failed tries. Default 0.8 s, doubled up to 30 s, the upper half of each delay random. */
  readonly backoff?: BackoffOptions | undefined;
  /**
   * Returns the logical cluster of an object, for a client that reads many at once, such as a virtual workspace of kcp.
   * Keys then begin with `cluster|`, which separates objects of the same name. Pure and cheap: called for every object.
   */
  readonly clusterOf?: ClusterOf | undefined;
}

interface Entry {
  readonly informer: SharedInformer;
  readonly handles: Set<SharedInformerHandle>;
}

/** Creates the informers of the cluster that `client` talks to. The caller owns the client: close it after this. */
export function createSharedInformers(options: SharedInformersOptions): SharedInformers {
  return new InformerPool(options);
}

class InformerPool implements SharedInformers {
  readonly #options: SharedInformersOptions;
  readonly #metrics: InformerMetrics;
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new Set<Promise<void>>();
  #closed = false;

  constructor(options: SharedInformersOptions) {
    this.#options = options;
    this.#metrics = createInformerMetrics(options.metrics);
  }

  acquire<T extends KubeObject>(spec: InformerSpec): InformerHandle<T> {
    if (this.#closed) throw new InformerError('Stopped', 'the informers of this cluster were closed');
    const key = specKey(spec);
    const entry = this.#entries.get(key) ?? this.#create(key, spec);
    const handle = new SharedInformerHandle(entry.informer, () => {
      this.#release(key, entry, handle);
    });
    entry.handles.add(handle);
    entry.informer.start();
    // Only the caller knows the type of a resource's objects.
    return handle as unknown as InformerHandle<T>;
  }

  get active(): SharedInformers['active'] {
    return [...this.#entries.values()].map(({ informer, handles }) => ({
      spec: informer.spec,
      state: informer.state,
      shares: handles.size,
      objects: informer.store.size,
    }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const entry of this.#entries.values()) for (const handle of entry.handles) handle.release();
    await Promise.all(this.#stopping);
  }

  #create(key: string, spec: InformerSpec): Entry {
    const {
      client,
      clock,
      random,
      logger,
      clusterOf,
      pageSize = 500,
      stallTimeoutMs = 150_000,
      backoff = { initialMs: 800, capMs: 30_000 },
    } = this.#options;
    const informer = new SharedInformer({
      spec,
      client,
      clock,
      random,
      logger,
      metrics: this.#metrics,
      pageSize,
      stallTimeoutMs,
      backoff,
      clusterOf,
    });
    const entry: Entry = { informer, handles: new Set() };
    this.#entries.set(key, entry);
    return entry;
  }

  #release(key: string, entry: Entry, handle: SharedInformerHandle): void {
    entry.handles.delete(handle);
    if (entry.handles.size === 0) this.#stop(key, entry);
  }

  #stop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    const stopped = entry.informer.stop().finally(() => {
      this.#stopping.delete(stopped);
    });
    this.#stopping.add(stopped);
  }
}

/** Equal for equivalent specs. */
function specKey({
  resource: { group, version, resource },
  namespace,
  labelSelector,
  fieldSelector,
  projection,
  keepManagedFields,
}: InformerSpec): string {
  return JSON.stringify([
    group,
    version,
    resource,
    namespace ?? '',
    labelSelector ?? '',
    fieldSelector ?? '',
    projection ?? 'full',
    keepManagedFields ?? false,
  ]);
}
