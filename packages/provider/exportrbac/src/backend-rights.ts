import type { KubeObject } from '@hawser/client';
import { equal } from '@hawser/json';
import { claimsRoleName, fixedNames, labels } from '@hawser/kube-bind';
import { consumersOf } from './marks.js';
import type { ObservedConsumer } from './observed.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';

// Rights that the Go backend gives (spec/kube-bind-backend.md §5.1, §10.5): all consumers together in one binding, and rights on everybody's objects.

/** Whether a RoleBinding in a service namespace is one of the Go backend's for claims of this consumer. */
export function isBackendClaimsBinding({ clusterNamespace, serviceNamespaces }: ObservedConsumer, binding: BindingObject): boolean {
  const { metadata: { name, namespace }, roleRef } = binding;
  return namespace !== undefined && serviceNamespaces.some((one) => one.name === namespace) && roleRef.kind === 'Role' && roleRef.name === name
    && name.startsWith(claimsRoleName('')) && equal(consumersOf(binding), [clusterNamespace]) && binding.subjects?.length === 1;
}

/** One of the cluster-wide objects of the Go backend. */
export type BackendObject =
  | { readonly kind: 'ClusterRoleBinding'; readonly object: BindingObject }
  | { readonly kind: 'ClusterRole'; readonly object: RoleObject };

export interface ObservedBackend {
  /** That of the fixed name. */
  readonly binding: BindingObject | undefined;
  /** That of the fixed name, and those with the label by which it gathers others. */
  readonly roles: readonly RoleObject[];
}

export interface BackendDecision {
  /** Proven to be the backend's, in the order in which they are to go. */
  readonly remove: readonly BackendObject[];
  /** Of the same names or labels, and not made as the backend makes them. */
  readonly keep: readonly BackendObject[];
}

/** Pure. The binding goes first: then nobody has what the roles give. */
export function decideBackend({ binding, roles }: ObservedBackend): BackendDecision {
  const remove: BackendObject[] = [];
  const keep: BackendObject[] = [];
  const sort = (one: BackendObject, isBackends: boolean): void => { (isBackends ? remove : keep).push(one); };
  if (binding !== undefined) sort({ kind: 'ClusterRoleBinding', object: binding }, isBackendBinding(binding));
  for (const object of roles) sort({ kind: 'ClusterRole', object }, isAggregate(object) || isOfExport(object));
  return { remove, keep };
}

function isBackendBinding(binding: BindingObject): boolean {
  const { roleRef, subjects } = binding;
  return roleRef.kind === 'ClusterRole' && roleRef.name === fixedNames.binderExports && (subjects ?? []).length === consumersOf(binding).length;
}

function isAggregate({ metadata: { name }, aggregationRule }: RoleObject): boolean {
  return name === fixedNames.binderExports && equal(aggregationRule, { clusterRoleSelectors: [{ matchLabels: { [labels.aggregateToParent]: 'true' } }] });
}

/** Label, name and owner say the same: the cluster namespace that it was made for. */
function isOfExport({ metadata: { name, labels: found, ownerReferences = [] } }: KubeObject): boolean {
  const [owner, ...others] = ownerReferences;
  if (found?.[labels.aggregateToParent] !== 'true' || owner?.kind !== 'Namespace' || others.length > 0) return false;
  return ['resources', 'claims'].some((what) => name.startsWith(`${fixedNames.binder}-${what}-${owner.name}-`));
}
