/**
 * Interfaces between the parts of the server. `auth/`, `discovery/` and `controllers/` depend only on these, and export
 *
 * - `auth/index.ts`: `createAuth(host: ServerHost, options: AuthOptions): AuthParts`
 * - `discovery/index.ts`: `createDiscovery(host: ServerHost): readonly Endpoint[]`
 * - `controllers/index.ts`: `createControllers(host: ServerHost): readonly Controller[]`
 *
 * Everything is synchronous: one request is handled in one turn, so nothing changes between a read and a write of the
 * same part.
 */
import type { Clock, Random } from '@hawser/clock';
import type { JsonObject } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import type { GroupResource, StatusError } from './status.js';

/** The user of a request (`authentication/user.Info`). */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** An incoming request, from any transport. */
export interface ApiRequest {
  readonly method: string;
  /** With the query: `/api/v1/namespaces?limit=1`. Still percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string;
  /** A known user (direct transport): ignores credentials in the headers, but not impersonation. */
  readonly user?: UserInfo;
  /** The client certificate, verified against the server's authority; subject only. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] };
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** Meaning of a request (apiserver `request.RequestInfo`). Path parts are decoded. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** Without the query. */
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method in lower case. */
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Empty without a namespace. For a request on one namespace, that namespace. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

// --- authentication and authorization ------------------------------------------------------------------------------------------------------------

export type Authentication =
  | { readonly kind: 'user'; readonly user: UserInfo }
  /** No credentials: `system:anonymous`. */
  | { readonly kind: 'anonymous' }
  /** Invalid credentials: 401. */
  | { readonly kind: 'rejected' };

/** Attributes of a decision (apiserver `authorizer.Attributes`). */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly namespace: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** Goes to the end of the 403's message, as `: reason`; empty for none. */
  readonly reason: string;
}

export interface AuthOptions {
  /** `rbac` (default) decides by the RBAC objects; `allow-all` allows every request. */
  readonly authorization?: 'rbac' | 'allow-all';
  /** Initially known bearer tokens: the administrator's. */
  readonly tokens?: Readonly<Record<string, UserInfo>>;
  /**
   * 32 bytes that sign ServiceAccount tokens: the same bytes keep tokens valid over a restart. Default: random ones.
   */
  readonly signingKey?: Uint8Array;
}

export interface AuthParts {
  authenticate(request: ApiRequest): Authentication;
  /**
   * The effective user, determined between authentication and authorization: `user`, or the one in the `Impersonate-*`
   * headers. Throws the 403 of a denied impersonation, and the 400 of headers without a user.
   */
  impersonate(request: ApiRequest, user: UserInfo, info: RequestInfo): UserInfo;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** The 403 of a decision: `secrets "x" is forbidden: User "u" cannot get resource "secrets" in API group "" in the namespace "n"`. */
  forbidden(attributes: AuthorizationAttributes, reason: string): StatusError;
  /**
   * Resources that are asked, not stored: SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview,
   * LocalSubjectAccessReview, SelfSubjectReview, TokenReview; and `serviceaccounts/token`.
   */
  readonly virtualResources: readonly VirtualResource[];
  /**
   * Called before an RBAC object is stored: throws the 403 of an attempt to grant rights beyond one's own (`escalate`,
   * `bind`).
   */
  checkEscalation?(user: UserInfo, resource: GroupResource, object: JsonObject, previous: JsonObject | undefined): void;
  /**
   * Called once, when the store is filled: creates the ClusterRoles and bindings of every cluster (`cluster-admin`,
   * `system:*`, `admin`, …).
   */
  bootstrap?(): void;
  /** Started and stopped with the others: fills the Secrets of type `kubernetes.io/service-account-token`, for which it needs the signing key. */
  readonly controllers: readonly Controller[];
}

/**
 * A create-only resource or subresource that is not stored. The API server has decoded the body and authorized
 * `create`.
 */
export interface VirtualResource {
  readonly group: string;
  readonly version: string;
  /** `tokenreviews`, or with a slash, `serviceaccounts/token`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Answer with 201; throws StatusError. */
  create(request: VirtualRequest): JsonObject;
}

export interface VirtualRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly body: JsonObject;
  readonly dryRun: boolean;
}

// --- discovery -----------------------------------------------------------------------------------------------------------------------------------

/**
 * Paths that are not resources: `/api`, `/apis`, `/openapi/v3`, `/version`, … Authorized by path and verb before the
 * call.
 */
export interface Endpoint {
  /** Undefined: unknown path. Throws StatusError. */
  handle(request: ApiRequest, info: RequestInfo): ApiResponse | undefined;
}

/** One resource in one served version, for discovery. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /** Plural. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** In the order of the API server: `create`, `delete`, `deletecollection`, `get`, `list`, `patch`, `update`, `watch`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  readonly builtIn: boolean;
  /**
   * For built-in kinds without descriptions; undefined for a CRD without one (never for apiextensions v1). With
   * apiVersion, kind, metadata.
   */
  readonly schema: JsonSchemaProps | undefined;
  /** Of a CRD's version: `spec.versions[].selectableFields[].jsonPath`. */
  readonly selectableFields: readonly string[];
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  /** Version in which it is stored; same for all versions of one resource. */
  readonly storageVersion: string;
}

export interface SubresourceInfo {
  /** `status`, `scale`, `finalize`, `token`, `eviction`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface Catalog {
  /** Everything currently served, virtual resources too. The same array until something changes. */
  resources(): readonly ResourceInfo[];
  find(group: string, version: string, resource: string): ResourceInfo | undefined;
  /** Called after a CRD has appeared, gone or changed the served resources. */
  onChange(listener: () => void): Disposable;
}

// --- the stored objects --------------------------------------------------------------------------------------------------------------------------

export interface ObjectKey {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
}

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: GroupResource;
  readonly key: ObjectKey;
  /**
   * For DELETED: the last state, with the resourceVersion of the deletion. In the storage version; must not be changed.
   */
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
  readonly revision: number;
}

/**
 * The stored objects in their storage version. Writes do everything that the API does (defaults, validation,
 * generation, finalizers, deletionTimestamp), without authorization. Results must not be changed. Throws StatusError
 * like the API.
 */
export interface Objects {
  /** Stored resources, CRDs' ones too: one entry per resource, however many versions it has. */
  resources(): readonly StoredResource[];
  /** Whether there is such a resource. */
  serves(resource: GroupResource): boolean;
  get(resource: GroupResource, key: ObjectKey): JsonObject | undefined;
  /** In key order. Without a namespace: all namespaces. */
  list(resource: GroupResource, namespace?: string): readonly JsonObject[];
  create(resource: GroupResource, object: JsonObject, options?: ObjectWriteOptions): JsonObject;
  update(resource: GroupResource, object: JsonObject, options?: ObjectWriteOptions): JsonObject;
  /**
   * The object while it waits for finalizers, undefined once it is gone. Throws NotFound, and Conflict for
   * preconditions.
   */
  delete(resource: GroupResource, key: ObjectKey, options?: DeleteOptions): JsonObject | undefined;
  /**
   * Called after each change, in the order of revisions, in the turn of the write. A listener must not write: it
   * queues, see {@link ServerHost.defer}.
   */
  onChange(listener: (change: ObjectChange) => void): Disposable;
}

export interface ObjectWriteOptions {
  readonly subresource?: 'status' | 'finalize';
  /** Default `kube-controller-manager`. */
  readonly fieldManager?: string;
}

export interface StoredResource extends GroupResource {
  readonly kind: string;
  readonly storageVersion: string;
  /** Every served version, to match the `apiVersion` of owner references. */
  readonly versions: readonly string[];
  readonly namespaced: boolean;
}

// --- controllers ---------------------------------------------------------------------------------------------------------------------------------

/** Works on stored objects, like a controller of kube-controller-manager. */
export interface Controller {
  readonly name: string;
  start(): void;
  stop(): void;
}

/** Services for each part. */
export interface ServerHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly catalog: Catalog;
  readonly objects: Objects;
  /** For example `1.36.3`. */
  readonly kubernetesVersion: string;
  /** PEM of the authority that signs the serving certificate; empty without a listener. */
  authorityPem(): string;
  /** `https://127.0.0.1:6443`; `https://kubernetes.default.svc` without a listener. */
  serverUrl(): string;
  /** Whether a user may do something: the authorizer of requests. */
  authorize(attributes: AuthorizationAttributes): Decision;
  /** A uid (version 4) from the injected random numbers. */
  newUid(): string;
  /** Current time for metadata: `2026-01-01T00:00:00Z`. */
  timestamp(): string;
  /**
   * Runs `task` in a later turn through the clock, never during another request or task; not after the server stopped.
   */
  defer(task: () => void, delayMs?: number): { cancel(): void };
  /** For failures that must not be silent, such as an exception in a controller. */
  report(error: unknown): void;
}
