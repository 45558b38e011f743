import type { KubeObject, OwnerReference } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';
import type { Subject } from '@hawser/rbac';
import type { BindingObject } from './rbac-objects.js';
import { bindingPrefix } from './right.js';

/** Label on every binding that this controller made: the cluster namespace of the consumer that it is for. */
export const consumerLabel = 'hawser.dev/consumer';

/**
 * Annotation, with the value `true`, by which an operator opens a namespace that was there before to consumers under isolation None. Without it rights
 * are given only in namespaces that were made for consumers.
 */
export const sharedNamespaceAnnotation = 'hawser.dev/shared-namespace';

export function consumerSubject({ names }: Dialect, clusterNamespace: string): Subject {
  return { kind: 'ServiceAccount', name: names.binder, namespace: clusterNamespace };
}

/** Cluster namespaces of the consumers that a binding is for. */
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

/** Rights go with the cluster namespace. */
export function namespaceOwner({ metadata: { name, uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion: 'v1', kind: 'Namespace', name, uid };
}
