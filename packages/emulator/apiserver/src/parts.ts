/**
 * What the parts of the server see of each other. `auth/`, `discovery/` and `controllers/` are written against these interfaces alone, and export
 *
 * - `auth/index.ts`: `createAuth(host: ServerHost, options: AuthOptions): AuthParts`
 * - `discovery/index.ts`: `createDiscovery(host: ServerHost): readonly Endpoint[]`
 * - `controllers/index.ts`: `createControllers(host: ServerHost): readonly Controller[]`
 *
 * Everything is synchronous: one request is handled in one turn, so nothing can change between a read and a write of the same part.
 */
import type { Clock, Random } from '@hawser/clock';
import type { JsonObject } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import type { GroupResource, StatusError } from './status.js';

/** Who makes a request (`authentication/user.Info`). */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A request as it came in, whatever brought it. */
export interface ApiRequest {
  readonly method: string;
  /** With the query: `/api/v1/namespaces?limit=1`. Still percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string;
  /** Already known who it is (direct transport): credentials in the headers are not looked at; impersonation is. */
  readonly user?: UserInfo;
  /** The client certificate, verified against the server's authority; subject only. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] };
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** What a request is about (apiserver `request.RequestInfo`). Path parts are decoded. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** Without the query. */
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method in lower case. */
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Empty where there is none. The namespace itself for a request on one namespace. */
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
  /** Credentials that prove nothing: 401. */
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
  /** `rbac` (default) decides by the RBAC objects; `allow-all` lets everybody do everything. */
  readonly authorization?: 'rbac' | 'allow-all';
  /** Bearer tokens that are known from the start: the administrator's. */
  readonly tokens?: Readonly<Record<string, UserInfo>>;
  /** 32 bytes that tokens of ServiceAccounts are signed with: the same ones keep the tokens valid over a restart. Default: random ones. */
  readonly signingKey?: Uint8Array;
}

export interface AuthParts {
  authenticate(request: ApiRequest): Authentication;
  /**
   * Whom the request acts for, between authentication and authorization: `user`, or who the `Impersonate-*` headers name. Throws the 403 where the
   * user may not, and the 400 of headers without a user.
   */
  impersonate(request: ApiRequest, user: UserInfo, info: RequestInfo): UserInfo;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** The 403 of a decision: `secrets "x" is forbidden: User "u" cannot get resource "secrets" in API group "" in the namespace "n"`. */
  forbidden(attributes: AuthorizationAttributes, reason: string): StatusError;
  /**
   * The resources that are asked and not stored: SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview, LocalSubjectAccessReview,
   * SelfSubjectReview, TokenReview; and `serviceaccounts/token`.
   */
  readonly virtualResources: readonly VirtualResource[];
  /** Called before an RBAC object is stored: throws the 403 of an attempt to grant more than one has (`escalate`, `bind`). */
  checkEscalation?(user: UserInfo, resource: GroupResource, object: JsonObject, previous: JsonObject | undefined): void;
  /** Called once, when the store is filled: the ClusterRoles and bindings that every cluster has (`cluster-admin`, `system:*`, `admin`, …). */
  bootstrap?(): void;
  /** Started and stopped with the others: fills the Secrets of type `kubernetes.io/service-account-token`, for which it needs the signing key. */
  readonly controllers: readonly Controller[];
}

/** A resource, or a subresource, that can only be created and is not stored. The API server has decoded, and authorized `create`. */
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

/** Paths that are no resources: `/api`, `/apis`, `/openapi/v3`, `/version`, … Authorized by path and verb before it is called. */
export interface Endpoint {
  /** Undefined: this endpoint does not know the path. Errors are thrown as StatusError. */
  handle(request: ApiRequest, info: RequestInfo): ApiResponse | undefined;
}

/** One resource in one served version, as discovery shows it. */
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
  /** Of built-in kinds without descriptions; undefined where a CRD has none (never for apiextensions v1). With apiVersion, kind, metadata. */
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
  /** Everything that is served now, virtual resources too. The same array until something changes. */
  resources(): readonly ResourceInfo[];
  find(group: string, version: string, resource: string): ResourceInfo | undefined;
  /** Called after a CRD has appeared, gone or changed what is served. */
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
  /** Of DELETED: as it was last, with the resourceVersion of the deletion. In the storage version; must not be changed. */
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
  readonly revision: number;
}

/**
 * The stored objects, in their storage version, with everything that the API does on a write (defaults, validation, generation, finalizers,
 * deletionTimestamp) and without authorization. What is returned must not be changed. Throws StatusError as the API would answer.
 */
export interface Objects {
  /** Resources that are stored, CRDs' ones too: one entry for each resource, however many versions it has. */
  resources(): readonly StoredResource[];
  /** Whether there is such a resource. */
  serves(resource: GroupResource): boolean;
  get(resource: GroupResource, key: ObjectKey): JsonObject | undefined;
  /** In the order of keys. Without a namespace: of all. */
  list(resource: GroupResource, namespace?: string): readonly JsonObject[];
  create(resource: GroupResource, object: JsonObject, options?: ObjectWriteOptions): JsonObject;
  update(resource: GroupResource, object: JsonObject, options?: ObjectWriteOptions): JsonObject;
  /** The object where it waits for finalizers, undefined where it has gone. Throws NotFound, and Conflict for preconditions. */
  delete(resource: GroupResource, key: ObjectKey, options?: DeleteOptions): JsonObject | undefined;
  /** Called after each change, in the order of revisions, in the turn of the write. A listener must not write: it queues, see {@link ServerHost.defer}. */
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
  /** Every served version, to match `apiVersion` of owner references. */
  readonly versions: readonly string[];
  readonly namespaced: boolean;
}

// --- controllers ---------------------------------------------------------------------------------------------------------------------------------

/** Works on stored objects as a controller of kube-controller-manager does. */
export interface Controller {
  readonly name: string;
  start(): void;
  stop(): void;
}

/** What each part gets. */
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
  /** Decides whether a user may do something: the same authorizer that requests go through. */
  authorize(attributes: AuthorizationAttributes): Decision;
  /** A uid (version 4) from the injected random numbers. */
  newUid(): string;
  /** Metadata time of now: `2026-01-01T00:00:00Z`. */
  timestamp(): string;
  /** Runs `task` in a later turn through the clock, never while another request or task is being handled; not after the server stopped. */
  defer(task: () => void, delayMs?: number): { cancel(): void };
  /** For what must not fail silently: a controller that throws. */
  report(error: unknown): void;
}
