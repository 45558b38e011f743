import { claimableResources, type Dialect, type GroupResource, resourceGroupName } from '@hawser/kube-bind';
import type { PolicyRule } from '@hawser/rbac';

/**
 * What a consumer can be given, each by one ClusterRole that the operator has made beforehand: the provider role only binds it, and so needs neither
 * `escalate` nor the rights themselves.
 */
export type Right =
  /** Read and write objects of an exported resource: in a service namespace, or, of a cluster-scoped resource, in the cluster. */
  | { readonly kind: 'objects'; readonly resource: GroupResource }
  /** Change objects of an exported resource without reading any: where a gateway shows the consumer its own. In the cluster, or in a namespace that consumers share. */
  | { readonly kind: 'changes'; readonly resource: GroupResource }
  /** List and watch in all namespaces, where the konnector cannot do without. */
  | { readonly kind: 'watch'; readonly resource: GroupResource }
  /** Isolation None: cluster-scoped objects whose names do not begin with the consumer's prefix. A verb that only the admission policy knows. */
  | { readonly kind: 'any-name'; readonly resource: GroupResource }
  /** Read and write claimed objects in a service namespace. */
  | { readonly kind: 'claims'; readonly resource: GroupResource };

/** The verb by which the admission policy knows who may choose names freely. */
export const anyNameVerb = 'use-any-name';

const objectVerbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'] as const;
const changeVerbs = ['create', 'patch', 'delete'] as const;
/** `update` is what a Go konnector writes claimed objects with (spec/konnector.md §14.2), `patch` what ours does. */
const claimVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/** `objects:databases.example.com` */
export function rightName({ kind, resource }: Right): string {
  return `${kind}:${resourceGroupName(resource)}`;
}

/** Of the ClusterRole behind a right. Colons are no part of names of namespaces and resources, so that no two rights have one name. */
export function roleName({ names }: Dialect, right: Right): string {
  return `${names.binder}:${rightName(right)}`;
}

/** Of the RoleBinding or ClusterRoleBinding that gives the right to the consumer with that cluster namespace. */
export function bindingName(dialect: Dialect, clusterNamespace: string, right: Right): string {
  return `${bindingPrefix(dialect, clusterNamespace)}${rightName(right)}`;
}

export function bindingPrefix({ names }: Dialect, clusterNamespace: string): string {
  return `${names.binder}:${clusterNamespace}:`;
}

/** What the ClusterRole behind a right has to say, no more and no less. */
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

/** All rights that may be given because `exported` is exported, with those for claims. */
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
