import type { KubeObject } from '@hawser/client';
import { apiServiceNamespaceKey, type Dialect } from '@hawser/kube-bind';

/** Annotation on a namespace that this controller created, rather than found; only such a namespace is ever deleted. */
export const createdByAnnotation = 'hawser.dev/created-by';
export const createdByValue = 'servicenamespace';

/**
 * Annotation by which an operator opens an existing namespace to consumers under isolation None, with the value `true`.
 * A consumer gets rights in its namespaces, so no other existing namespace is ever given to one.
 */
export const sharedNamespaceAnnotation = 'hawser.dev/shared-namespace';

/** The annotations of a namespace created for a consumer namespace. */
export function ownershipAnnotations(
  { annotations }: Dialect,
  clusterNamespace: string,
  consumerNamespace: string,
): Readonly<Record<string, string>> {
  return {
    [annotations.apiServiceNamespace]: apiServiceNamespaceKey(clusterNamespace, consumerNamespace),
    [createdByAnnotation]: createdByValue,
  };
}

/**
 * The APIServiceNamespace of the dialect that a namespace names as its owner, as `<cluster namespace>/<consumer
 * namespace>`.
 */
export function ownerOf({ annotations }: Dialect, namespace: KubeObject): string | undefined {
  return namespace.metadata.annotations?.[annotations.apiServiceNamespace];
}

/** The cluster namespace of the consumer that a namespace was made for. */
export function consumerOf(dialect: Dialect, namespace: KubeObject): string | undefined {
  return ownerOf(dialect, namespace)?.split('/', 1)[0];
}

/** Whether a namespace was made for a consumer, or opened by the operator. */
export function isOpen(dialect: Dialect, namespace: KubeObject): boolean {
  return ownerOf(dialect, namespace) !== undefined || isOpenedByOperator(namespace);
}

export function isOpenedByOperator(namespace: KubeObject): boolean {
  return namespace.metadata.annotations?.[sharedNamespaceAnnotation] === 'true';
}

export function isCreatedByUs(namespace: KubeObject): boolean {
  return namespace.metadata.annotations?.[createdByAnnotation] === createdByValue;
}
