import type { ApiError, KubeObject, ObjectKey, Resource } from '@hawser/client';
import type { CacheKey, ClusterKey } from './cache-key.js';

/** What to watch. Two equal specs share one informer. */
export interface InformerSpec {
  readonly resource: Resource;
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** `metadata`: only apiVersion, kind and metadata are fetched and kept. Default `full`. */
  readonly projection?: 'full' | 'metadata' | undefined;
  /** Keep the managedFields and the last-applied annotation, which are otherwise dropped. Default false. */
  readonly keepManagedFields?: boolean | undefined;
}

/** Where the reflector is. `failed` is not an end: it retries with back-off, for ever, and says why. */
export type InformerState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'listing' }
  | { readonly phase: 'watching'; readonly resourceVersion: string }
  | { readonly phase: 'waiting'; readonly failures: number; readonly error: ApiError }
  | { readonly phase: 'stopped' };

/**
 * Told about every change, in the order of each object's resourceVersions. A handler that throws is logged and harms nobody else.
 * An object recreated under the same name with another uid is delivered as a delete followed by an add. `key` is the object's in the cache.
 * `own`: taken in by {@link Informer.observe} of the very handle that the handler was added to, so it is no news to who did that.
 */
export interface InformerHandler<T extends KubeObject> {
  /** `initial`: part of the first complete list, or of the replay to a handler that was added later. */
  onAdd?(object: T, initial: boolean, key: CacheKey, own: boolean): void;
  onUpdate?(before: T, after: T, key: CacheKey, own: boolean): void;
  /**
   * `witnessed`: the API server's watch told of the deletion, and `last` is the object as it was deleted. Otherwise the object was missing from a list or had
   * a successor: it may have changed before it went, and nobody need have deleted it (a restore from a backup loses objects too).
   */
  onDelete?(last: T, witnessed: boolean, key: CacheKey, own: boolean): void;
  /**
   * The storage of the API server was restored from a backup, and the cache shows what it has now; what differs has been told. What was concluded from the answers of own
   * writes, or from other caches of that server, may not hold any more.
   */
  onRestored?(): void;
}

/** A watched cache. Objects are frozen plain JSON. */
export interface Informer<T extends KubeObject> {
  readonly spec: InformerSpec;
  readonly state: InformerState;
  /** True once one complete list has been delivered to the handlers; stays true. */
  readonly hasSynced: boolean;
  /** Resolves when {@link Informer.hasSynced}; rejects when `signal` aborts or the informer stops. */
  synced(signal?: AbortSignal): Promise<void>;
  get(key: CacheKey | ObjectKey | ClusterKey): T | undefined;
  /** All objects, or those of one namespace; with `cluster`, of one logical cluster. */
  list(namespace?: string, cluster?: string): readonly T[];
  readonly size: number;
  /** Objects for which the index function gave `value`. Throws if there is no such index. */
  byIndex(index: string, value: string): readonly T[];
  /** Idempotent for the same name. Index functions are pure. */
  addIndex(name: string, keys: (object: T) => readonly string[]): void;
  /** Delivers what is cached as adds, then every change, until the subscription is closed. */
  addHandler(handler: InformerHandler<T>): Subscription;
  /** Told whenever {@link Informer.state} changes phase. */
  onStateChange(listener: (state: InformerState) => void): Subscription;
  /**
   * Takes in the answer of a write of our own, so that the next read sees it before the watch does. Ignored if the cache already has this
   * version or a later one, and for a new object where only the server can tell whether it is selected: by fields, or by a set of values of a label. The watch event of the same version is then not delivered a second time.
   */
  observe(object: T): void;
  /**
   * Has the cached object hold those parts of `like` (an object of another cache) that are equal to its own in place of its own, as it also takes over what a new
   * version has in common with the one before: what is in step is in memory once, and compared at once. Readers see the same as before; nobody is told.
   */
  share(key: CacheKey | ObjectKey | ClusterKey, like: KubeObject): void;
  /**
   * Lists again, and takes what the server says now also for objects whose version is in the cache already. For when the schema of the resource has changed:
   * for about a second after that, the watches of an API server still tell of objects in the old shape, without the new fields, and never again in the new
   * one. What differs is delivered as updates. Returns at once; asked for again before it has begun, it is done once.
   */
  relist(): void;
}

export interface Subscription {
  close(): void;
}

/** A share in an informer. Releasing the last one stops it and closes its socket. Idempotent. */
export interface InformerHandle<T extends KubeObject> extends Informer<T> {
  release(): void;
}

/** The informers of one cluster: at most one per spec, whoever asks. */
export interface SharedInformers {
  /** Starts the informer if it is the first share. */
  acquire<T extends KubeObject>(spec: InformerSpec): InformerHandle<T>;
  /** Those that run now, for health pages and leak tests. */
  readonly active: readonly {
    readonly spec: InformerSpec;
    readonly state: InformerState;
    readonly shares: number;
    readonly objects: number;
  }[];
  /** Stops all. Idempotent; resolves when no socket, timer or promise is left. */
  close(): Promise<void>;
}
