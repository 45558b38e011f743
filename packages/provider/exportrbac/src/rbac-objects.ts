import type { KubeObject } from '@hawser/client';
import type { AggregationRule, PolicyRule, RoleRef, Subject } from '@hawser/rbac';

export const rbacVersion = 'rbac.authorization.k8s.io/v1';
export const rbacGroup = 'rbac.authorization.k8s.io';

/** A RoleBinding, or a ClusterRoleBinding if it has no namespace. */
export interface BindingObject extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

/** A ClusterRole, or a Role if it has a namespace. */
export interface RoleObject extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: AggregationRule | null;
}
