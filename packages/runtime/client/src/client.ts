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
  /** Ends the request; it then rejects with an {@link ApiError} of code `Aborted`. */
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
  /** A page that is longer is given up: see {@link isAnswerTooLong}. Default: the client's `maxAnswerBytes`, which is the most in any case. */
  readonly maxBytes?: number | undefined;
  /**
   * Told of each object that is not what the Kubernetes API sends: it is then left out of a page, or out of a watch unless it was deleted, and those beside it come. Without it such an
   * object makes the whole page `Malformed`: a page that does not show everything must not be taken for all there is.
   */
  readonly onUnusable?: ((unusable: UnusableObject) => void) | undefined;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue' | 'timeoutMs' | 'maxBytes'> {
  readonly allowBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** Server-side end of the watch, in seconds. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Versions that the caller has already, from the answers of its own writes: by resourceVersion, the object's uid. Their events are not read again, but come as
   * bookmarks. Looked at whenever an event comes, so it may change at any time.
   */
  readonly known?: ReadonlyMap<string, string> | undefined;
}

export interface WriteOptions extends ReadOptions {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly subresource?: string | undefined;
}

/** What is sent as a patch. `json`: RFC 6902; `merge`: RFC 7386; `apply`: server-side apply (needs a field manager). */
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
 * An open watch. Iterate it to receive events; ends normally when the server closes it; throws an ApiError on an in-stream ERROR
 * (410 among them), on a reset, and on a line that is not JSON. Leaving the loop, or aborting the signal, closes the connection.
 */
export type WatchStream<T extends KubeObject> = AsyncIterable<WatchEvent<T>>;

/**
 * One API server. Verbs take a {@link Resource}; objects travel as plain JSON, unknown fields included.
 * Every failure is an {@link ApiError}. Safe requests are retried on connection loss, 429 and 503 within their timeout, honouring Retry-After;
 * writes only where the server cannot have carried them out.
 */
export interface Client {
  /** For logs, metrics and messages: `consumer`, `provider`, … */
  readonly name: string;

  get<T extends KubeObject = UnstructuredObject>(resource: Resource, key: ObjectKey, options?: ReadOptions): Promise<T>;
  /** One page; `metadata.continue` of the answer asks for the next. */
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
  /** Anything else below the server's URL, for example `/version` or `/apis`; the path is sent as it is. */
  raw(method: 'GET' | 'POST', path: string, body?: unknown, options?: RequestOptions): Promise<unknown>;

  /** The same client whose **writes** are refused with code `Aborted` once `signal` aborts, in-flight ones included. Shares the pool; see the lease package. */
  withWriteGuard(signal: AbortSignal): Client;
  /**
   * The same client at another path of the same host, instead of the one in the server's URL: `/clusters/root:org`, a virtual workspace. Pool, limits,
   * credentials and write guards are shared, so one per workspace costs nothing. `name` stands for the cluster in messages; metrics keep the parent's.
   * Closing it closes nothing. Throws a RangeError for what is not an absolute path.
   */
  at(path: string, name?: string): Client;
  /** Tells when the server answers again after an outage. Absent: not known. */
  readonly recovery?: Recovery | undefined;
  /** The server's clock, from the `Date` of its answers. Absent: not known. */
  readonly serverTime?: Pick<ServerTime, 'now'> | undefined;
  /** Ends every request and watch and closes the sockets. Idempotent. */
  close(): Promise<void>;
}

export type { KubeList, KubeObject, ObjectKey, OwnerReference, Resource, Status, UnstructuredObject };
