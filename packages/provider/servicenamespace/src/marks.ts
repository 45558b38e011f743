import type { KubeObject } from '@hawser/client';
import { annotations, apiServiceNamespaceKey } from '@hawser/kube-bind';

/** Annotation on a namespace that this controller created, rather than found; only such a namespace is ever deleted. */
export const createdByAnnotation = 'hawser.dev/created-by';
export const createdByValue = 'servicenamespace';

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
