// Names that both sides know without asking (spec/klutch.md §3).

export const fixedNames = {
  konnectorNamespace: 'klutch-bind',
  /** In `POD_NAMESPACE`, else in {@link leaseFallbackNamespace}. */
  konnectorLease: 'klutch-bind',
  leaseFallbackNamespace: 'kube-system',
  clusterBinding: 'cluster',
  kubeconfigSecret: 'kubeconfig',
  kubeconfigKey: 'kubeconfig',
  /** ServiceAccount and RoleBinding of a consumer. */
  binder: 'klutch-binder',
  controlPlaneRole: 'control-plane-connector',
} as const;

/** ClusterRole, and under informer scope Cluster ClusterRoleBinding, of one consumer. */
export function binderClusterRoleName(clusterNamespace: string): string {
  return `${fixedNames.binder}-${clusterNamespace}`;
}

/** The provider namespace of a consumer namespace that has none yet. Not cut: it may be too long, and two pairs may give the same. */
export function serviceNamespaceName(clusterNamespace: string, consumerNamespace: string): string {
  return `${clusterNamespace}-${consumerNamespace}`;
}

/** The provider's name of a cluster-scoped object. */
export function clusterScopedName(clusterNamespace: string, name: string): string {
  return `${clusterNamespace}-${name}`;
}

/** The root namespace of an AppClusterBinding. */
export function rootNamespaceName(namespace: string, name: string): string {
  return `klutch-bind-${namespace}-${name}`;
}

/** ClusterRole and ClusterRoleBinding of the konnector of an AppClusterBinding. */
export function konnectorClusterRoleName(namespace: string, name: string): string {
  return `klutch-konnector-${namespace}-${name}`;
}
