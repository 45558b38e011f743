import type { KubeObject, OwnerReference } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';
import type { Subject } from '@hawser/rbac';
import type { BindingObject } from './rbac-objects.js';
import { bindingPrefix } from './right.js';

/** Label on every binding of this controller: the consumer's cluster namespace. */
export const consumerLabel = 'hawser.dev/consumer';

/**
 * An operator sets this annotation to `true` to open an existing namespace to consumers under isolation None. Otherwise
 * rights are granted only in namespaces made for consumers.
 */
export const sharedNamespaceAnnotation = 'hawser.dev/shared-namespace';

export function consumerSubject({ names }: Dialect, clusterNamespace: string): Subject {
  return { kind: 'ServiceAccount', name: names.binder, namespace: clusterNamespace };
}

/** Cluster namespaces of a binding's consumers. */
export function consumersOf({ names }: Dialect, { subjects }: BindingObject): readonly string[] {
  return (subjects ?? []).flatMap(({ kind, name, namespace }) =>
    kind === 'ServiceAccount' && name === names.binder && namespace !== undefined ? [namespace] : [],
  );
}

export function isOurs(
  dialect: Dialect,
  { metadata: { name, labels } }: KubeObject,
  clusterNamespace: string,
): boolean {
  return labels?.[consumerLabel] === clusterNamespace && name.startsWith(bindingPrefix(dialect, clusterNamespace));
}

/** Owner reference that removes rights with the cluster namespace. */
export function namespaceOwner({ metadata: { name, uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion: 'v1', kind: 'Namespace', name, uid };
}
