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
  /** The time of metadata, timeouts, bookmarks and controllers. Default: the machine's. */
  readonly clock?: Clock;
  /** Uids, generated names, timeouts of watches. Default: `Math.random`. The same numbers give the same answers. */
  readonly random?: Random;
  /** Bearer token of an administrator. Default: made of `random`. */
  readonly adminToken?: string;
  /** How often a watch that allows it gets a bookmark. Default 60 000, which is about what the real one does. */
  readonly bookmarkIntervalMs?: number;
  /** Shows in `/version`. Default `1.36.3`. */
  readonly kubernetesVersion?: string;
  /** Where the objects are. Default: a store of its own. A server over the store of one that has stopped is that server restarted. */
  readonly store?: Store;
  /** What goes wrong, request by request. Default: nothing. */
  readonly faults?: Faults;
  /**
   * What kube-controller-manager does: garbage collection, the end of namespaces, default ServiceAccounts, token Secrets, aggregated ClusterRoles, root certificates.
   * Default true. Without it a deletion that waits for dependents, and that of a namespace, are only begun.
   */
  readonly controllerManager?: boolean;
  /** Gets what a controller or a handler throws that is no answer. Default: it is printed to stderr. */
  readonly report?: (error: unknown) => void;
}

/** A Kubernetes API in this process. */
export interface ApiServer {
  readonly store: Store;
  /** The stored objects without authorization: for tests, and to look at the outcome of a simulation. */
  readonly objects: Objects;
  readonly clock: Clock;
  /** Bearer token of an administrator. */
  readonly adminToken: string;
  /** Carries a request out and brings its answer to `sink`, from a later microtask on. */
  handle(request: ApiRequest, sink: ResponseSink): Exchange;
  /** The whole answer at once. Watches never end: see {@link ApiServer.handle}. Rejects when a fault breaks the connection. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Replaces what goes wrong from now on. */
  setFaults(faults: Faults | undefined): void;
  /** What the server says where it is. Set by whoever listens for it. */
  setLocation(location: { readonly url: string; readonly authorityPem: string }): void;
  /**
   * Ends controllers and requests: `graceful` (default) ends watches as a server does that shuts down, `abrupt` breaks all connections, as when it is killed. Requests after
   * this fail. Idempotent.
   */
  stop(how?: 'graceful' | 'abrupt'): void;
}

/** What a personality sees of its server besides. */
export interface PersonalServer<S extends ObjectStore> extends Omit<ApiServer, 'store'> {
  readonly store: S;
  readonly catalog: Catalog;
  /** What handlers work with, to answer requests that came another way. */
  readonly handlers: HandlerHost;
  /** Who makes a request. Throws the 401. */
  authenticate(request: ApiRequest): UserInfo;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** What {@link ApiServer.handle} would bring, for whoever brings it himself. */
  answer(request: ApiRequest, info: RequestInfo, fault?: Fault): Answer;
  /** The personality's own controllers work as those of the server do. */
  readonly host: ServerHost;
}
