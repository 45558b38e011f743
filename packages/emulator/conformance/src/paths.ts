interface BuiltIn {
  readonly prefix: string;
  readonly namespaced: boolean;
}

const core = '/api/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const cluster = (prefix: string): BuiltIn => ({ prefix, namespaced: false });
const namespaced = (prefix: string): BuiltIn => ({ prefix, namespaced: true });

const builtIns = {
  namespaces: cluster(core),
  secrets: namespaced(core),
  configmaps: namespaced(core),
  serviceaccounts: namespaced(core),
  events: namespaced(core),
  leases: namespaced('/apis/coordination.k8s.io/v1'),
  roles: namespaced(rbac),
  rolebindings: namespaced(rbac),
  clusterroles: cluster(rbac),
  clusterrolebindings: cluster(rbac),
  customresourcedefinitions: cluster('/apis/apiextensions.k8s.io/v1'),
} as const satisfies Record<string, BuiltIn>;

export type BuiltInResource = keyof typeof builtIns;

/**
 * Path of a collection, an object or a subresource of a built-in kind; `namespace` counts only for namespaced kinds.
 */
export function builtInPath(resource: BuiltInResource, namespace: string, ...rest: readonly string[]): string {
  const { prefix, namespaced: inNamespace } = builtIns[resource];
  return [prefix, ...(inNamespace ? ['namespaces', namespace] : []), resource, ...rest].join('/');
}

/** Path without a namespace: for all namespaces, or a cluster-scoped kind. */
export function groupPath(group: string, version: string, ...rest: readonly string[]): string {
  return ['/apis', group, version, ...rest].join('/');
}
