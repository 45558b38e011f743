import type { KubeObject } from '@hawser/client';
import { identityHash } from './hash/identity-hash.js';
import type { GroupResource, Isolation } from './kinds/shared.js';
import { annotations } from './metadata.js';

/** Well-known names of both sides (spec/kube-bind-api.md §12). */
export const fixedNames = {
  /** Consumer namespace of the konnector and of kubeconfig Secrets. */
  konnectorNamespace: 'kube-bind',
  /** Leader election Lease of the konnector. */
  konnectorLease: 'kube-bind',
  /** Namespace of the Lease if the konnector does not know its own. */
  konnectorLeaseFallbackNamespace: 'kube-system',
  /** Key of a kubeconfig in its Secret. */
  kubeconfigKey: 'kubeconfig',
  /** The ClusterBinding of a cluster namespace. */
  clusterBinding: 'cluster',
  /** The Cluster object. */
  cluster: 'default',
  /** The kubeconfig Secret in a cluster namespace, unless its ClusterBinding names another. */
  providerKubeconfigSecret: 'kubeconfig',
  /** ServiceAccount, its token Secret, ClusterRole and RoleBinding in a cluster namespace. */
  binder: 'kube-binder',
  /** The aggregating ClusterRole and its binding. */
  binderExports: 'kube-binder-exports',
  oidcUser: 'kube-bind-oidc-user',
  /** Key of the answer in a binding response Secret. */
  bindingResponseKey: 'binding-response',
} as const;

/** `widgets.example.com`; `secrets.core` for the core group. Names a BoundSchema, and compares with CRD names. */
export function resourceGroupName(resource: GroupResource): string {
  return `${resource.resource}.${resource.group === undefined || resource.group === '' ? 'core' : resource.group}`;
}

/** Plural and group of a CRD's name, such as `widgets.example.com`. The group is empty without a dot. */
export function groupResourceOf(name: string): { readonly group: string; readonly resource: string } {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

/** `widgets.example.com`; `secrets.` for the core group: the other spelling in use, for messages and keys (spec/kube-bind-api.md §5.1). */
export function groupResourceString(resource: GroupResource): string {
  return `${resource.resource}.${resource.group ?? ''}`;
}

/** The name of a CRD. */
export function crdName(plural: string, group: string): string {
  return `${plural}.${group}`;
}

/** The cluster namespace of a consumer; `prefix` is a setting of the provider. */
export function clusterNamespaceName(prefix: string, identity: string): string {
  return prefix + identityHash(identity);
}

/** The consumer of a cluster namespace; undefined if the namespace is none. */
export function consumerIdentityOf(namespace: KubeObject): string | undefined {
  return (
    namespace.metadata.annotations?.[annotations.identity] ??
    namespace.metadata.annotations?.[annotations.legacyIdentity]
  );
}

/**
 * Provider namespace for a consumer namespace without an assigned one. Never recomputed once
 * `APIServiceNamespace.status.namespace` holds it. The result may be too long for a name: nothing is cut.
 */
export function serviceNamespaceName(
  isolation: Isolation,
  clusterNamespace: string,
  consumerNamespace: string,
): string {
  switch (isolation) {
    case 'None':
      return consumerNamespace;
    case 'Prefixed':
    case 'Namespaced':
      return `${clusterNamespace}-${consumerNamespace}`;
  }
}

/** Value of the annotation `apiServiceNamespace`. */
export function apiServiceNamespaceKey(clusterNamespace: string, consumerNamespace: string): string {
  return `${clusterNamespace}/${consumerNamespace}`;
}

/** Prefix of the provider names of cluster-scoped objects under isolation `Prefixed`. */
export function clusterScopedPrefix(clusterNamespace: string): string {
  return `${clusterNamespace}-`;
}

/** ClusterRole with rights on the exported resources. */
export function exportClusterRoleName(clusterNamespace: string, exportName: string): string {
  return `kube-binder-resources-${clusterNamespace}-${exportName}`;
}

/** ClusterRole with rights on claimed resources. */
export function claimsClusterRoleName(clusterNamespace: string, exportName: string): string {
  return `kube-binder-claims-${clusterNamespace}-${exportName}`;
}

/** Role and RoleBinding for claims in a service namespace. */
export function claimsRoleName(exportName: string): string {
  return `kube-binder-claims-${exportName}`;
}

/** Secret with the answer to a BindableResourcesRequest that names no Secret. */
export function bindingResponseSecretName(requestName: string): string {
  return `${requestName}-binding-response`;
}

/** kubeconfig Secret that the provider's web page makes on the consumer. */
export function appliedKubeconfigSecretName(bindingName: string): string {
  return `kubeconfig-${bindingName}`;
}

/** Claimable resources, all core v1 and namespaced (spec/kube-bind-api.md §5.4). */
export const claimableResources = ['configmaps', 'secrets', 'serviceaccounts'] as const;

/** Whether a provider can claim `resource` at all. */
export function isClaimable(resource: GroupResource): boolean {
  return (resource.group ?? '') === '' && (claimableResources as readonly string[]).includes(resource.resource);
}
