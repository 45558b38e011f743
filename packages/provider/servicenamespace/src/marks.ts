import type { KubeObject } from '@hawser/client';
import { annotations, apiServiceNamespaceKey } from '@hawser/kube-bind';

/** Annotation on a namespace that this controller created, rather than found; only such a namespace is ever deleted. */
export const createdByAnnotation = 'hawser.dev/created-by';
export const createdByValue = 'servicenamespace';

/**
 * Annotation, with the value `true`, by which an operator opens a namespace that was there before to consumers under isolation None. A consumer gets
 * rights in its namespaces, so nothing else that exists is ever given to one.
 */
export const sharedNamespaceAnnotation = 'hawser.dev/shared-namespace';

/** The annotations of a namespace that is created for a consumer namespace. */
export function ownershipAnnotations(clusterNamespace: string, consumerNamespace: string): Readonly<Record<string, string>> {
  return {
    [annotations.apiServiceNamespace]: apiServiceNamespaceKey(clusterNamespace, consumerNamespace),
    [createdByAnnotation]: createdByValue,
  };
}

/** Which APIServiceNamespace a namespace says it belongs to, as `<cluster namespace>/<consumer namespace>`. */
export function ownerOf(namespace: KubeObject): string | undefined {
  return namespace.metadata.annotations?.[annotations.apiServiceNamespace];
}

/** The cluster namespace of the consumer that a namespace was made for. */
export function consumerOf(namespace: KubeObject): string | undefined {
  return ownerOf(namespace)?.split('/', 1)[0];
}

/** Whether it was made for some consumer, or the operator has opened it. */
export function isOpen(namespace: KubeObject): boolean {
  return ownerOf(namespace) !== undefined || namespace.metadata.annotations?.[sharedNamespaceAnnotation] === 'true';
}

export function isCreatedByUs(namespace: KubeObject): boolean {
  return namespace.metadata.annotations?.[createdByAnnotation] === createdByValue;
}

/** A cluster namespace holds a consumer's credential: it never stands for a consumer namespace. */
export function isClusterNamespace(namespace: KubeObject): boolean {
  const found = namespace.metadata.annotations ?? {};
  return annotations.identity in found || annotations.legacyIdentity in found;
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
