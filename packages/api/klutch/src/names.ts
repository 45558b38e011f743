// Well-known names of both sides (spec/klutch.md §3).

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

/** Name of one consumer's ClusterRole, and under informer scope Cluster of its ClusterRoleBinding. */
export function binderClusterRoleName(clusterNamespace: string): string {
  return `${fixedNames.binder}-${clusterNamespace}`;
}

/**
 * Provider namespace for a consumer namespace that has none yet. Not cut: it may be too long, and two pairs may give
 * the same name.
 */
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

/**
 * Name of the request with which an AppClusterBinding asks for one export, for example
 * `appclusterbinding-shop-databases.example.com-7d1f3a09`. Both names are cut to 24 characters; the FNV-1a hash of the
 * full names keeps requests apart.
 */
export function appClusterBindingRequestName(binding: string, exportName: string): string {
  const cut = (name: string): string => name.slice(0, 24).replace(/[^a-z0-9]+$/u, '');
  return `appclusterbinding-${cut(binding)}-${cut(exportName)}-${fnv32(`${binding}/${exportName}`)}`;
}

function fnv32(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
