import type { RbacLookup } from '@hawser/rbac';
import type { JsonObject } from '@hawser/json';
import type { AuthorizationAttributes, Decision, RequestInfo, UserInfo } from './parts.js';
import type { ResourceType } from './registry/resource-type.js';
import type { GroupResource } from './status.js';

/** What an API server on the same machinery does otherwise than that of Kubernetes. What is not given is as there. */
export interface Personality {
  /** In place of the kinds of Kubernetes. May be shared by any number of servers. */
  readonly builtIn?: readonly ResourceType[];
  /** Served besides these, and besides what CRDs define. */
  readonly types?: TypeSource;
  readonly admission?: AdmissionPlugin;
  /** Roles and bindings that hold besides the stored ones. Those that every cluster of Kubernetes has are not made. */
  readonly policy?: RbacLookup;
  /** Decides in place of RBAC alone; `rbac` is what that says. */
  readonly authorize?: (
    attributes: AuthorizationAttributes,
    rbac: (attributes: AuthorizationAttributes) => Decision,
  ) => Decision;
  /** Namespaces that are there from the start. */
  readonly namespaces?: readonly string[];
  /** What is answered with 501 in place of 404. */
  readonly isServedElsewhere?: (info: RequestInfo) => boolean;
}

/** Resources that come and go. */
export interface TypeSource {
  /** The same array until something changes. */
  types(): readonly ResourceType[];
  onChange(listener: () => void): Disposable;
}

/** A write before it is stored. `previous` is undefined for a create. */
export interface AdmittedWrite {
  readonly resource: GroupResource;
  /** Of the request; objects are in this version. */
  readonly version: string;
  readonly subresource: string;
  /** Undefined for the server's own controllers. */
  readonly user: UserInfo | undefined;
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
}

/** Asked by each write. Throws the StatusError of a refusal. */
export interface AdmissionPlugin {
  /** Before the object is validated: what is stored in its place. */
  mutate?(write: AdmittedWrite): JsonObject;
  /** After the object was found to be valid. */
  validate?(write: AdmittedWrite): void;
}
