import type { ApiError, KubeObject, ObjectKey, Resource } from '@hawser/client';
import type { CacheKey, ClusterKey } from './cache-key.js';

/** Selects what to watch. Equal specs share one informer. */
export interface InformerSpec {
  readonly resource: Resource;
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** `metadata`: fetch and keep only apiVersion, kind and metadata. Default `full`. */
  readonly projection?: 'full' | 'metadata' | undefined;
  /** Keep managedFields and the last-applied annotation instead of dropping them. Default false. */
  readonly keepManagedFields?: boolean | undefined;
}

/** State of the reflector. `failed` is not final: it retries with back-off without end, and carries the error. */
export type InformerState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'listing' }
  | { readonly phase: 'watching'; readonly resourceVersion: string }
  | { readonly phase: 'waiting'; readonly failures: number; readonly error: ApiError }
  | { readonly phase: 'stopped' };

/**
 * Receives every change, in the order of each object's resourceVersions. A handler that throws is logged and affects no
 * other handler. An object recreated under the same name with another uid arrives as a delete followed by an add.
 * `key`: the object's key in the cache. `own`: the handle of this handler took it in by {@link Informer.observe}, so
 * its owner knows it.
 */
export interface InformerHandler<T extends KubeObject> {
  /** `initial`: part of the first complete list, or of the replay to a handler that was added later. */
  onAdd?(object: T, initial: boolean, key: CacheKey, own: boolean): void;
  onUpdate?(before: T, after: T, key: CacheKey, own: boolean): void;
  /**
   * `witnessed`: the watch delivered the deletion, and `last` is the object as deleted. Otherwise a list lacked the
   * object, or it had a successor. Then it may have changed before it went, and perhaps no client deleted it: a restore
   * from a backup loses objects too.
   */
  onDelete?(last: T, witnessed: boolean, key: CacheKey, own: boolean): void;
  /**
   * The storage of the API server was restored from a backup. The cache shows the restored state, and the differences
   * have been delivered. Conclusions from answers to own writes, or from other caches of that server, may no longer
   * hold.
   */
  onRestored?(): void;
}

/** A watched cache. Objects are frozen plain JSON. */
export interface Informer<T extends KubeObject> {
  readonly spec: InformerSpec;
  readonly state: InformerState;
  /** True once one complete list has been delivered to the handlers; stays true. */
  readonly hasSynced: boolean;
  /**
   * Whether the cache has missed nothing: the open watch follows a list, or has delivered since it was opened. False
   * after an interruption, until then: meanwhile a backup may have restored the server's storage, and what the cache
   * has may never have happened there. A read live tells.
   */
  readonly isCurrent: boolean;
  /** Resolves when {@link Informer.hasSynced}; rejects when `signal` aborts or the informer stops. */
  synced(signal?: AbortSignal): Promise<void>;
  get(key: CacheKey | ObjectKey | ClusterKey): T | undefined;
  /** Lists all objects, or those of one namespace; with `cluster`, of one logical cluster. */
  list(namespace?: string, cluster?: string): readonly T[];
  readonly size: number;
  /** Lists the objects for which the index function gave `value`. Throws for an unknown index. */
  byIndex(index: string, value: string): readonly T[];
  /** Adds an index. Idempotent for the same name. Index functions are pure. */
  addIndex(name: string, keys: (object: T) => readonly string[]): void;
  /** Delivers the cached objects as adds, then every change, until the subscription is closed. */
  addHandler(handler: InformerHandler<T>): Subscription;
  /** Calls `listener` whenever {@link Informer.state} changes phase. */
  onStateChange(listener: (state: InformerState) => void): Subscription;
  /**
   * Takes in the answer of an own write, so the next read sees it before the watch delivers it. Ignored if the cache
   * has this version or a later one. Also ignored for a new object if only the server can decide the selection: by
   * fields, or by a set of values of a label. The watch event of the same version is not delivered again.
   */
  observe(object: T): void;
  /**
   * Replaces parts of the cached object by equal parts of `like`, an object of another cache. A new version also takes
   * over the equal parts of the one before. Equal content is then in memory once and compares at once. Readers see no
   * difference; handlers are not called.
   */
  share(key: CacheKey | ObjectKey | ClusterKey, like: KubeObject): void;
  /**
   * Lists again and also takes in objects of known versions. Call it after the schema of the resource has changed: for
   * about a second the watches of an API server still deliver objects in the old shape, without the new fields, and
   * never again in the new one. Differences arrive as updates. Returns at once; calls before the list begins count as
   * one.
   */
  relist(): void;
}

export interface Subscription {
  close(): void;
}

/** A share in an informer. Releasing the last one stops the informer and closes its socket. Idempotent. */
export interface InformerHandle<T extends KubeObject> extends Informer<T> {
  release(): void;
}

/** The informers of one cluster: at most one per spec, shared by all callers. */
export interface SharedInformers {
  /** Takes a share; the first one starts the informer. */
  acquire<T extends KubeObject>(spec: InformerSpec): InformerHandle<T>;
  /** The running informers, for health pages and leak tests. */
  readonly active: readonly {
    readonly spec: InformerSpec;
    readonly state: InformerState;
    readonly shares: number;
    readonly objects: number;
  }[];
  /** Stops all. Idempotent; resolves when no socket, timer or promise is left. */
  close(): Promise<void>;
}
