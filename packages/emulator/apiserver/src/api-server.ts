import type { Clock, Random } from '@hawser/clock';
import type { Faults, ResponseSink, Exchange, Fault } from './exchange.js';
import type {
  AuthOptions,
  Objects,
  ApiRequest,
  ApiResponse,
  UserInfo,
  ServerHost,
  RequestInfo,
  Decision,
  Catalog,
  AuthorizationAttributes,
} from './parts.js';
import type { Store } from './store/store.js';
import type { Answer } from './handlers/answer.js';
import type { HandlerHost } from './handlers/context.js';
import type { ObjectStore } from './store/object-store.js';

export interface ApiServerOptions extends AuthOptions {
  /** Clock for metadata, timeouts, bookmarks and controllers. Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Source of uids, generated names and watch timeouts. Default: `Math.random`. The same numbers give the same answers.
   */
  readonly random?: Random;
  /** Bearer token of an administrator. Default: derived from `random`. */
  readonly adminToken?: string;
  /** Interval of bookmarks for watches that allow them. Default 60 000, about the real server's. */
  readonly bookmarkIntervalMs?: number;
  /** Shows in `/version`. Default `1.36.3`. */
  readonly kubernetesVersion?: string;
  /**
   * Storage of the objects. Default: its own store. A server over a stopped server's store acts as that server
   * restarted.
   */
  readonly store?: Store;
  /** Faults per request. Default: none. */
  readonly faults?: Faults;
  /**
   * Run the work of kube-controller-manager: garbage collection, deletion of namespaces, default ServiceAccounts, token
   * Secrets, aggregated ClusterRoles, root certificates. Default true. Without it, a deletion that waits for
   * dependents, and that of a namespace, only begin.
   */
  readonly controllerManager?: boolean;
  /** Receives unexpected exceptions of controllers and handlers. Default: prints them to stderr. */
  readonly report?: (error: unknown) => void;
}

/** A Kubernetes API in this process. */
export interface ApiServer {
  readonly store: Store;
  /** The stored objects without authorization: for tests, and for the outcome of a simulation. */
  readonly objects: Objects;
  readonly clock: Clock;
  /** Bearer token of an administrator. */
  readonly adminToken: string;
  /** Handles a request and delivers its answer to `sink`, from a later microtask on. */
  handle(request: ApiRequest, sink: ResponseSink): Exchange;
  /**
   * The complete answer. Watches never end: see {@link ApiServer.handle}. Rejects when a fault breaks the connection.
   */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Replaces the faults from now on. */
  setFaults(faults: Faults | undefined): void;
  /** The address that the server reports. Set by its listener. */
  setLocation(location: { readonly url: string; readonly authorityPem: string }): void;
  /**
   * Ends controllers and requests: `graceful` (default) ends watches like a server that shuts down, `abrupt` breaks all
   * connections, as if killed. Later requests fail. Idempotent.
   */
  stop(how?: 'graceful' | 'abrupt'): void;
}

/** A server with the parts that a personality needs. */
export interface PersonalServer<S extends ObjectStore> extends Omit<ApiServer, 'store'> {
  readonly store: S;
  readonly catalog: Catalog;
  /** Context of the handlers, to answer requests that arrive in another way. */
  readonly handlers: HandlerHost;
  /** Authenticates a request. Throws the 401. */
  authenticate(request: ApiRequest): UserInfo;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** The answer of {@link ApiServer.handle}, for callers that deliver it themselves. */
  answer(request: ApiRequest, info: RequestInfo, fault?: Fault): Answer;
  /** For the personality's own controllers, as for the server's. */
  readonly host: ServerHost;
}
