import type { KubeObject } from '@hawser/client';
import type { BoundSchema, Dialect } from '@hawser/kube-bind';
import type { PolicyState } from './admission-policy.js';
import type { ExportObject } from './export-object.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';
import type { RequestObject } from './request-rights.js';

/**
 * How a consumer reads a resource that its konnector lists and watches in the whole cluster. `refused`: not at all. `shared`: by a right of RBAC, so it sees the objects
 * of every consumer. `gateway`: through the gateway, which shows it its own objects; RBAC then gives it no reading right outside of its namespaces.
 */
export type ClusterReads = 'refused' | 'shared' | 'gateway';

/** What does not change during the life of the controller. */
export interface Settings {
  readonly dialect: Dialect;
  readonly clusterReads: ClusterReads;
}

/** A namespace that a consumer has, or is about to get. */
export interface ServiceNamespace {
  /** Name of the APIServiceNamespace. */
  readonly consumerNamespace: string;
  readonly name: string;
  /** Whether another consumer has it as well. */
  readonly isShared: boolean;
  /** Undefined: it does not exist. Only its metadata counts. */
  readonly namespace: KubeObject | undefined;
}

/** One consumer. A snapshot: nothing in it changes. */
export interface ObservedConsumer {
  readonly clusterNamespace: string;
  /** The cluster namespace itself; undefined: it is gone, and the rights go with it. */
  readonly namespace: KubeObject | undefined;
  /** Another cluster namespace whose name begins with this one's prefix: the prefix keeps the two not apart. */
  readonly prefixSharedWith: string | undefined;
  readonly exports: readonly ExportObject[];
  /** Those on which something may have to be said of rights. */
  readonly requests: readonly RequestObject[];
  /** Of the consumer, by name; none where exports carry their schemas. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
  readonly serviceNamespaces: readonly ServiceNamespace[];
  /** RoleBindings and ClusterRoleBindings for this consumer, those of other creators included. */
  readonly bindings: readonly BindingObject[];
  /** ClusterRoles, by name. */
  readonly roles: Pick<ReadonlyMap<string, RoleObject>, 'get'>;
  readonly policy: PolicyState;
}
