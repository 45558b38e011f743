import type { KubeObject } from '@hawser/client';
import type { BoundSchema, Dialect } from '@hawser/kube-bind';
import type { PolicyState } from './admission-policy.js';
import type { ExportObject } from './export-object.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';
import type { RequestObject } from './request-rights.js';

/** What does not change during the life of the controller. */
export interface Settings {
  readonly dialect: Dialect;
  /** Whether consumers may list and watch a resource in the whole cluster where there is no other way, and so see each other's objects. */
  readonly sharedClusterScope: boolean;
}

/** A namespace that a consumer has, or is about to get. */
export interface ServiceNamespace {
  /** Name of the APIServiceNamespace. */
  readonly consumerNamespace: string;
  readonly name: string;
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
  /** RoleBindings and ClusterRoleBindings that are for this consumer, whoever made them. */
  readonly bindings: readonly BindingObject[];
  /** ClusterRoles, by name. */
  readonly roles: Pick<ReadonlyMap<string, RoleObject>, 'get'>;
  readonly policy: PolicyState;
}
