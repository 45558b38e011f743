import { claimableResources, type Dialect, type GroupResource, resourceGroupName } from '@hawser/kube-bind';
import type { PolicyRule } from '@hawser/rbac';

/**
 * Rights of a consumer, each a ClusterRole that the operator created before. The provider role only binds it: it needs
 * neither `escalate` nor the rights themselves.
 */
export type Right =
  /** Read and write objects of an exported resource: in a service namespace, or in the cluster if cluster-scoped. */
  | { readonly kind: 'objects'; readonly resource: GroupResource }
  /** Change objects without reading: a gateway shows the consumer its own. In the cluster, or in a shared namespace. */
  | { readonly kind: 'changes'; readonly resource: GroupResource }
  /** List and watch in all namespaces, where the konnector needs it. */
  | { readonly kind: 'watch'; readonly resource: GroupResource }
  /** Isolation None: cluster-scoped objects without the consumer's prefix. Only the admission policy knows the verb. */
  | { readonly kind: 'any-name'; readonly resource: GroupResource }
  /** Read and write claimed objects in a service namespace. */
  | { readonly kind: 'claims'; readonly resource: GroupResource };

/** Verb that the admission policy checks for free choice of names. */
export const anyNameVerb = 'use-any-name';

const objectVerbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'] as const;
const changeVerbs = ['create', 'patch', 'delete'] as const;
/** A Go konnector writes claimed objects with `update` (spec/konnector.md §14.2), ours with `patch`. */
const claimVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/** `objects:databases.example.com` */
export function rightName({ kind, resource }: Right): string {
  return `${kind}:${resourceGroupName(resource)}`;
}

/** Name of the ClusterRole behind a right. Namespace and resource names have no colons, so names are unique. */
export function roleName({ names }: Dialect, right: Right): string {
  return `${names.binder}:${rightName(right)}`;
}

/** Name of the RoleBinding or ClusterRoleBinding that grants the right to the consumer of that cluster namespace. */
export function bindingName(dialect: Dialect, clusterNamespace: string, right: Right): string {
  return `${bindingPrefix(dialect, clusterNamespace)}${rightName(right)}`;
}

export function bindingPrefix({ names }: Dialect, clusterNamespace: string): string {
  return `${names.binder}:${clusterNamespace}:`;
}

/** Exact rules of the ClusterRole behind a right. */
export function rulesOf({ kind, resource: { group = '', resource } }: Right): readonly PolicyRule[] {
  const on = (verbs: readonly string[]): readonly PolicyRule[] => [
    { apiGroups: [group], resources: [resource], verbs },
  ];
  switch (kind) {
    case 'objects':
      return on(objectVerbs);
    case 'changes':
      return on(changeVerbs);
    case 'watch':
      return on(['list', 'watch']);
    case 'any-name':
      return on([anyNameVerb]);
    case 'claims':
      return on(claimVerbs);
  }
}

/** All rights that the exports in `exported` permit, including claims. */
export function rightsFor(exported: readonly GroupResource[]): readonly Right[] {
  return [
    ...exported.flatMap((resource): readonly Right[] => [
      { kind: 'objects', resource },
      { kind: 'changes', resource },
      { kind: 'watch', resource },
      { kind: 'any-name', resource },
    ]),
    ...claimableResources.map((resource): Right => ({ kind: 'claims', resource: { group: '', resource } })),
  ];
}
