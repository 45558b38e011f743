import type { RbacLookup } from '@hawser/rbac';
import type { JsonObject } from '@hawser/json';
import type { AuthorizationAttributes, Decision, RequestInfo, UserInfo } from './parts.js';
import type { ResourceType } from './registry/resource-type.js';
import type { GroupResource } from './status.js';

/** Differences of another API server built from these parts. Absent fields mean Kubernetes' behaviour. */
export interface Personality {
  /** Replaces the kinds of Kubernetes. Any number of servers may share it. */
  readonly builtIn?: readonly ResourceType[];
  /** Served in addition to these and to the CRDs' resources. */
  readonly types?: TypeSource;
  readonly admission?: AdmissionPlugin;
  /** Roles and bindings in addition to the stored ones. Without those of every Kubernetes cluster. */
  readonly policy?: RbacLookup;
  /** Replaces the plain RBAC decision; `rbac` is that decision. */
  readonly authorize?: (
    attributes: AuthorizationAttributes,
    rbac: (attributes: AuthorizationAttributes) => Decision,
  ) => Decision;
  /** Namespaces that exist from the start. */
  readonly namespaces?: readonly string[];
  /** Requests to answer with 501 instead of 404. */
  readonly isUnimplemented?: (info: RequestInfo) => boolean;
}

/** Resources that appear and disappear. */
export interface TypeSource {
  /** The same array until something changes. */
  types(): readonly ResourceType[];
  onChange(listener: () => void): Disposable;
}

/** A write before it is stored. `previous` is undefined for a create. */
export interface AdmittedWrite {
  readonly resource: GroupResource;
  /** Version of the request; objects are in this version. */
  readonly version: string;
  readonly subresource: string;
  /** Undefined for the server's own controllers. */
  readonly user: UserInfo | undefined;
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
}

/** Consulted for each write. Throws the StatusError of a refusal. */
export interface AdmissionPlugin {
  /** Before validation: returns the object to store. */
  mutate?(write: AdmittedWrite): JsonObject;
  /** After successful validation. */
  validate?(write: AdmittedWrite): void;
}
