import type { KubeObject } from '@hawser/client';
import { binderClusterRoleName, klutchDialect } from '@hawser/klutch';
import { equal } from '@hawser/json';
import { claimsRoleName, type Dialect, fixedNames, labels } from '@hawser/kube-bind';
import { consumersOf } from './marks.js';
import type { ObservedConsumer } from './observed.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';

/** Identifies a Go backend's grants to consumers, and separates them from other objects. */
interface BackendRights {
  /** ClusterRoleBindings with a name like its own. */
  isBindingName(name: string): boolean;
  /** ClusterRoles with a name or label like its own. */
  isRoleName(role: RoleObject): boolean;
  isBinding(binding: BindingObject): boolean;
  isRole(role: RoleObject): boolean;
  /** Whether a RoleBinding in a service namespace has its name, and grants the role it creates for that consumer. */
  isServiceBinding(binding: BindingObject, clusterNamespace: string): boolean;
}

const backends: Readonly<Record<Dialect['name'], BackendRights>> = {
  // One binding for all consumers, with rights on all their objects (spec/kube-bind-backend.md §5.1, §10.5).
  'kube-bind': {
    isBindingName: (name) => name === fixedNames.binderExports,
    isRoleName: ({ metadata }) =>
      metadata.name === fixedNames.binderExports || metadata.labels?.[labels.aggregateToParent] !== undefined,
    isBinding: (binding) => binding.roleRef.kind === 'ClusterRole' && binding.roleRef.name === fixedNames.binderExports,
    isRole: (role) => isAggregate(role) || isOfExport(role),
    isServiceBinding: ({ metadata: { name }, roleRef }) =>
      roleRef.kind === 'Role' && roleRef.name === name && name.startsWith(claimsRoleName('')),
  },
  // One ClusterRole per consumer (spec/klutch.md §7.3, §7.4, §17.35): bound in the cluster or, at times, in namespaces.
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

/** Whether the Go backend made this RoleBinding in a service namespace for this consumer. */
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

/** Whether the name is one of the Go backend's ClusterRoleBindings. */
export function isBackendBindingName(dialect: Dialect, name: string): boolean {
  return backends[dialect.name].isBindingName(name);
}

/** Whether the name or label is one of the Go backend's ClusterRoles. */
export function isBackendRoleName(dialect: Dialect, role: RoleObject): boolean {
  return backends[dialect.name].isRoleName(role);
}

/** A cluster-wide object of the Go backend. */
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
  /** Proven to be the backend's, in order of removal. */
  readonly remove: readonly BackendObject[];
  /** Same names or labels, but not as the backend makes them. */
  readonly keep: readonly BackendObject[];
}

/** Decides which objects of the backend to remove. Pure. Bindings go first: an unbound role grants nothing. */
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

/** Label, name and owner agree on the cluster namespace it was made for. */
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

/** Name and owner agree. */
function isOfConsumer(object: KubeObject): boolean {
  const owner = ownerNamespace(object);
  return owner !== undefined && object.metadata.name === binderClusterRoleName(owner);
}

function ownerNamespace({ metadata: { ownerReferences = [] } }: KubeObject): string | undefined {
  const [owner, ...others] = ownerReferences;
  return owner?.kind === 'Namespace' && others.length === 0 ? owner.name : undefined;
}
