import type { KubeObject } from '@hawser/client';
import { binderClusterRoleName, klutchDialect } from '@hawser/klutch';
import { equal } from '@hawser/json';
import { claimsRoleName, type Dialect, fixedNames, labels } from '@hawser/kube-bind';
import { consumersOf } from './marks.js';
import type { ObservedConsumer } from './observed.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';

/** What a Go backend gives consumers: how it is found, and how it is told from what others made. */
interface BackendRights {
  /** ClusterRoleBindings that look like its own, by name. */
  isBindingName(name: string): boolean;
  /** ClusterRoles that look like its own, by name or label. */
  isRoleName(role: RoleObject): boolean;
  isBinding(binding: BindingObject): boolean;
  isRole(role: RoleObject): boolean;
  /** Whether a RoleBinding in a service namespace is of its name, and gives the role that it makes for that consumer. */
  isServiceBinding(binding: BindingObject, clusterNamespace: string): boolean;
}

const backends: Readonly<Record<Dialect['name'], BackendRights>> = {
  // All consumers together in one binding, and rights on everybody's objects (spec/kube-bind-backend.md §5.1, §10.5).
  'kube-bind': {
    isBindingName: (name) => name === fixedNames.binderExports,
    isRoleName: ({ metadata }) =>
      metadata.name === fixedNames.binderExports || metadata.labels?.[labels.aggregateToParent] !== undefined,
    isBinding: (binding) => binding.roleRef.kind === 'ClusterRole' && binding.roleRef.name === fixedNames.binderExports,
    isRole: (role) => isAggregate(role) || isOfExport(role),
    isServiceBinding: ({ metadata: { name }, roleRef }) =>
      roleRef.kind === 'Role' && roleRef.name === name && name.startsWith(claimsRoleName('')),
  },
  // One ClusterRole for each consumer, bound in the whole cluster or, off and on, in its namespaces (spec/klutch.md §7.3, §7.4, §17.35).
  klutch: {
    isBindingName: (name) => name.startsWith(binderClusterRoleName('')),
    isRoleName: ({ metadata }) => metadata.name.startsWith(binderClusterRoleName('')),
    isBinding: (binding) =>
      isOfConsumer(binding) &&
      binding.roleRef.kind === 'ClusterRole' &&
      binding.roleRef.name === binding.metadata.name &&
      equal(consumersOf(klutchDialect, binding).map(binderClusterRoleName), [binding.metadata.name]),
    isRole: isOfConsumer,
    isServiceBinding: ({ metadata: { name }, roleRef }, clusterNamespace) =>
      name === klutchDialect.names.binder &&
      roleRef.kind === 'ClusterRole' &&
      roleRef.name === binderClusterRoleName(clusterNamespace),
  },
};

/** Whether a RoleBinding in a service namespace is one of the Go backend's for this consumer. */
export function isBackendBinding(
  dialect: Dialect,
  { clusterNamespace, serviceNamespaces }: ObservedConsumer,
  binding: BindingObject,
): boolean {
  const {
    metadata: { namespace },
  } = binding;
  return (
    namespace !== undefined &&
    serviceNamespaces.some((one) => one.name === namespace) &&
    backends[dialect.name].isServiceBinding(binding, clusterNamespace) &&
    equal(consumersOf(dialect, binding), [clusterNamespace]) &&
    binding.subjects?.length === 1
  );
}

/** Whether it has the name of a ClusterRoleBinding of the Go backend. */
export function isBackendBindingName(dialect: Dialect, name: string): boolean {
  return backends[dialect.name].isBindingName(name);
}

/** Whether it has the name, or the label, of a ClusterRole of the Go backend. */
export function isBackendRoleName(dialect: Dialect, role: RoleObject): boolean {
  return backends[dialect.name].isRoleName(role);
}

/** One of the cluster-wide objects of the Go backend. */
export type BackendObject =
  | { readonly kind: 'ClusterRoleBinding'; readonly object: BindingObject }
  | { readonly kind: 'ClusterRole'; readonly object: RoleObject };

export interface ObservedBackend {
  /** {@link isBackendBindingName} */
  readonly bindings: readonly BindingObject[];
  /** {@link isBackendRoleName} */
  readonly roles: readonly RoleObject[];
}

export interface BackendDecision {
  /** Proven to be the backend's, in the order in which they are to go. */
  readonly remove: readonly BackendObject[];
  /** Of the same names or labels, and not made as the backend makes them. */
  readonly keep: readonly BackendObject[];
}

/** Pure. Bindings go first: a role that is not bound gives nothing. */
export function decideBackend(dialect: Dialect, { bindings, roles }: ObservedBackend): BackendDecision {
  const backend = backends[dialect.name];
  const remove: BackendObject[] = [];
  const keep: BackendObject[] = [];
  const sort = (one: BackendObject, isBackends: boolean): void => {
    (isBackends ? remove : keep).push(one);
  };
  for (const object of bindings)
    sort(
      { kind: 'ClusterRoleBinding', object },
      backend.isBinding(object) && (object.subjects ?? []).length === consumersOf(dialect, object).length,
    );
  for (const object of roles) sort({ kind: 'ClusterRole', object }, backend.isRole(object));
  return { remove, keep };
}

function isAggregate({ metadata: { name }, aggregationRule }: RoleObject): boolean {
  return (
    name === fixedNames.binderExports &&
    equal(aggregationRule, { clusterRoleSelectors: [{ matchLabels: { [labels.aggregateToParent]: 'true' } }] })
  );
}

/** Label, name and owner say the same: the cluster namespace that it was made for. */
function isOfExport(role: KubeObject): boolean {
  const {
    metadata: { name, labels: found },
  } = role;
  const owner = ownerNamespace(role);
  return (
    owner !== undefined &&
    found?.[labels.aggregateToParent] === 'true' &&
    ['resources', 'claims'].some((what) => name.startsWith(`${fixedNames.binder}-${what}-${owner}-`))
  );
}

/** Name and owner say the same. */
function isOfConsumer(object: KubeObject): boolean {
  const owner = ownerNamespace(object);
  return owner !== undefined && object.metadata.name === binderClusterRoleName(owner);
}

function ownerNamespace({ metadata: { ownerReferences = [] } }: KubeObject): string | undefined {
  const [owner, ...others] = ownerReferences;
  return owner?.kind === 'Namespace' && others.length === 0 ? owner.name : undefined;
}
