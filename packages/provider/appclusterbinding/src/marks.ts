import type { KubeObject } from '@hawser/client';
import { type AppClusterBinding, labels } from '@hawser/klutch';

/** Field manager of everything that this controller writes. */
export const fieldManager = 'hawser-appclusterbinding';

/**
 * Annotation on an AppClusterBinding: `Orphan`, `Block` or `Delete`; decides about its root namespace and instances
 * when it is deleted.
 */
export const deletionPolicyAnnotation = 'hawser.dev/deletion-policy';

/**
 * Annotation on a kubeconfig Secret: comma-separated namespaces whose AppClusterBindings may use it, besides its own
 * namespace.
 */
export const allowedNamespacesAnnotation = 'hawser.dev/app-cluster-binding-namespaces';

/** Annotation on the Secret in the root namespace, and on pods: changes with each kubeconfig. */
export const revisionAnnotation = 'hawser.dev/kubeconfig-revision';

/** Names in a root namespace that spec/klutch.md leaves open. */
export const ownNames = { deployment: 'konnector', note: 'hawser-left-behind' } as const;

/** Labels of everything created for an AppClusterBinding. */
export function childLabels({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return {
    [labels.appClusterBindingName]: metadata.name,
    [labels.appClusterBindingNamespace]: metadata.namespace ?? '',
  };
}

/**
 * The AppClusterBinding that an object names as its owner, as `<namespace>/<name>`; undefined unless it has both
 * labels.
 */
export function ownerKeyOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[labels.appClusterBindingName] ?? '';
  const namespace = metadata.labels?.[labels.appClusterBindingNamespace] ?? '';
  return name === '' || namespace === '' ? undefined : `${namespace}/${name}`;
}

export function isChildOf(object: KubeObject, { metadata }: AppClusterBinding): boolean {
  return ownerKeyOf(object) === `${metadata.namespace ?? ''}/${metadata.name}`;
}
