import type { KubeObject } from '@hawser/client';
import type { BoundSchema, Dialect } from '@hawser/kube-bind';
import type { PolicyState } from './admission-policy.js';
import type { ExportObject } from './export-object.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';
import type { RequestObject } from './request-rights.js';

/**
 * How a consumer reads a resource that its konnector lists in the whole cluster. `refused`: not at all. `shared`: by
 * RBAC, so it sees the objects of every consumer. `gateway`: through the gateway, which shows only its own objects;
 * RBAC then grants no read outside its namespaces.
 */
export type ClusterReads = 'refused' | 'shared' | 'gateway';

/** Fixed during the life of the controller. */
export interface Settings {
  readonly dialect: Dialect;
  readonly clusterReads: ClusterReads;
}

/** A namespace that a consumer has or will get. */
export interface ServiceNamespace {
  /** Name of the APIServiceNamespace. */
  readonly consumerNamespace: string;
  readonly name: string;
  /** Whether another consumer has it too. */
  readonly isShared: boolean;
  /** Undefined: it does not exist. Only its metadata matters. */
  readonly namespace: KubeObject | undefined;
}

/** One consumer. An immutable snapshot. */
export interface ObservedConsumer {
  readonly clusterNamespace: string;
  /** The cluster namespace itself; undefined: it is gone, and its rights with it. */
  readonly namespace: KubeObject | undefined;
  /** Another cluster namespace that begins with this one's prefix: the prefix does not separate the two. */
  readonly prefixSharedWith: string | undefined;
  readonly exports: readonly ExportObject[];
  /** Requests that may need a report on rights. */
  readonly requests: readonly RequestObject[];
  /** The consumer's, by name; none where exports carry their schemas. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
  readonly serviceNamespaces: readonly ServiceNamespace[];
  /** RoleBindings and ClusterRoleBindings for this consumer, from any creator. */
  readonly bindings: readonly BindingObject[];
  /** ClusterRoles, by name. */
  readonly roles: Pick<ReadonlyMap<string, RoleObject>, 'get'>;
  readonly policy: PolicyState;
}
