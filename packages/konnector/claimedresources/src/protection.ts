import { type KubeObject, type Resource, objectKey } from '@hawser/client';
import { klutchDialect } from '@hawser/klutch';
import { type APIServiceBinding, kubeBindDialect, labels } from '@hawser/kube-bind';
import type { SecretKeyRef } from '@hawser/konnector-connection';

import type { Side } from './marks.js';

/** Namespaces with the Secrets of konnectors of any dialect. */
const konnectorNamespaces: ReadonlySet<string> = new Set(
  [kubeBindDialect, klutchDialect].map(({ names }) => names.konnectorNamespace),
);

export interface ProtectedThings {
  /** Every binding of the cluster, including those of other connections. */
  readonly bindings: () => readonly APIServiceBinding[];
  /** Secrets of this connection. */
  readonly secrets: () => readonly SecretKeyRef[];
}

/**
 * Why an original on `side` must not be copied, as the end of a sentence; undefined if it may. Kubeconfigs of providers
 * neither leave the consumer nor come in by claims, and nothing comes into the konnector's own namespace. `namespace`:
 * the consumer's.
 */
export function protectionOf(
  { bindings, secrets }: ProtectedThings,
  resource: Resource,
  side: Side,
  namespace: string,
  original: KubeObject,
): string | undefined {
  if (side === 'provider' && konnectorNamespaces.has(namespace))
    return `namespace ${namespace} of the consumer is the konnector's own`;
  if (resource.group !== '' || resource.resource !== 'secrets') return undefined;
  if (original.metadata.labels?.[labels.providerKubeconfig] !== undefined)
    return `its label ${labels.providerKubeconfig} says that it is a kubeconfig of the konnector`;
  const key = objectKey({ namespace, name: original.metadata.name });
  const isOwn = (ref: { readonly namespace?: string | undefined; readonly name: string }): boolean =>
    objectKey(ref) === key;
  return bindings().some(({ spec }) => spec?.kubeconfigSecretRef !== undefined && isOwn(spec.kubeconfigSecretRef)) ||
    secrets().some(isOwn)
    ? 'the konnector connects with it'
    : undefined;
}
