import type { Recovery } from './recovery.js';
import type { ServerTime } from './server-time.js';
import type { UnusableObject } from './metadata.js';
import type {
  KubeList,
  KubeObject,
  ObjectKey,
  OwnerReference,
  Resource,
  Status,
  UnstructuredObject,
} from './object.js';

export interface RequestOptions {
  /** Ends the request, which then rejects with an {@link ApiError} of code `Aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole request, retries included. Default 30 000. Not for watches. */
  readonly timeoutMs?: number | undefined;
}

export interface ReadOptions extends RequestOptions {
  /** `metadata`: ask only for apiVersion, kind and metadata (`PartialObjectMetadata`). Default `full`. */
  readonly representation?: 'full' | 'metadata' | undefined;
}

export interface ListOptions extends ReadOptions {
  /** Absent: all namespaces (or a cluster-scoped resource). */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /**
   * Longest page, at most the client's `maxAnswerBytes` (the default). A longer page fails: see {@link
   * isAnswerTooLong}.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Called with each object that breaks the Kubernetes API conventions. A page leaves the object out; a watch too,
   * unless the event is a deletion. Without this callback such an object makes the whole page `Malformed`: an
   * incomplete page must not pass for a complete list.
   */
  readonly onUnusable?: ((unusable: UnusableObject) => void) | undefined;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue' | 'timeoutMs' | 'maxBytes'> {
  readonly allowBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** Server-side end of the watch, in seconds. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Versions that the caller knows from the answers to its own writes: resourceVersion → uid. The watch does not parse
   * their events and hands out bookmarks instead. Read at each event, so it may change at any time.
   */
  readonly known?: ReadonlyMap<string, string> | undefined;
}

export interface WriteOptions extends ReadOptions {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly subresource?: string | undefined;
}

/** Content of a patch. `json`: RFC 6902; `merge`: RFC 7386; `apply`: server-side apply (needs a field manager). */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly unknown[] }
  | { readonly type: 'merge'; readonly patch: unknown }
  | { readonly type: 'apply'; readonly object: unknown; readonly force?: boolean };

export interface DeleteOptions extends RequestOptions {
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * The server's answer to a DELETE. `gone`: the object no longer exists (a `Status` of success); `terminating`: it has a
 * deletionTimestamp and waits for its finalizers.
 */
export type DeleteResult =
  { readonly kind: 'gone'; readonly status?: Status } | { readonly kind: 'terminating'; readonly object: KubeObject };

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly object: {
        readonly metadata: {
          readonly resourceVersion?: string;
          readonly annotations?: Readonly<Record<string, string>>;
        };
      };
    };

/**
 * An open watch: iterate it to receive events. Ends normally when the server closes it. Throws an ApiError on an
 * in-stream ERROR (such as 410), on a reset, and on a line that is not JSON. Leave the loop or abort the signal to
 * close the connection.
 */
export type WatchStream<T extends KubeObject> = AsyncIterable<WatchEvent<T>>;

/**
 * Client of one API server. Verbs take a {@link Resource}; objects travel as plain JSON, unknown fields included. Every
 * failure is an {@link ApiError}. Retries safe requests on connection loss, 429 and 503 within their timeout, honouring
 * Retry-After. Retries writes only where the server cannot have carried them out.
 */
export interface Client {
  /** For logs, metrics and messages: `consumer`, `provider`, … */
  readonly name: string;

  get<T extends KubeObject = UnstructuredObject>(resource: Resource, key: ObjectKey, options?: ReadOptions): Promise<T>;
  /** Lists one page; pass its `metadata.continue` to get the next. */
  list<T extends KubeObject = UnstructuredObject>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    object: KubeObject,
    options?: WriteOptions,
  ): Promise<T>;
  /** PUT. For `/status` give `subresource: 'status'`. */
  update<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    object: KubeObject,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  delete(resource: Resource, key: ObjectKey, options?: DeleteOptions): Promise<DeleteResult>;
  watch<T extends KubeObject = UnstructuredObject>(resource: Resource, options?: WatchOptions): Promise<WatchStream<T>>;
  /**
   * Sends a request to any other path below the server's URL, for example `/version` or `/apis`. The path is sent
   * unchanged.
   */
  raw(method: 'GET' | 'POST', path: string, body?: unknown, options?: RequestOptions): Promise<unknown>;

  /**
   * Returns the same client with guarded **writes**: once `signal` aborts they reject with code `Aborted`, in-flight
   * ones included. Shares the pool; see the lease package.
   */
  withWriteGuard(signal: AbortSignal): Client;
  /**
   * Returns the same client at another path of the same host: `/clusters/root:org`, a virtual workspace. Shares pool,
   * limits, credentials and write guards, so one per workspace costs nothing. `name` is the cluster's name in messages;
   * metrics keep the parent's. Closing it closes nothing. Throws a RangeError unless the path is absolute.
   */
  at(path: string, name?: string): Client;
  /** Reports when the server answers again after an outage. Absent: not known. */
  readonly recovery?: Recovery | undefined;
  /** The server's clock, from the `Date` of its answers. Absent: not known. */
  readonly serverTime?: Pick<ServerTime, 'now'> | undefined;
  /** Ends every request and watch and closes the sockets. Idempotent. */
  close(): Promise<void>;
}

export type { KubeList, KubeObject, ObjectKey, OwnerReference, Resource, Status, UnstructuredObject };
