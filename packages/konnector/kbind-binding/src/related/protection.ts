import { type KubeObject, objectKey } from '@hawser/client';
import { type Connection, fixedNames, malformation } from '@hawser/core-kbind';
import { klutchDialect } from '@hawser/klutch';
import { kubeBindDialect, labels } from '@hawser/kube-bind';
import type { RelatedKind, Side } from './rules.js';

/** Kubernetes' own objects in these namespaces neither leave nor come in. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

/** Default namespaces of konnector Secrets, in all dialects. */
const KONNECTOR_NAMESPACES: ReadonlySet<string> = new Set([
  fixedNames.namespace,
  kubeBindDialect.names.konnectorNamespace,
  klutchDialect.names.konnectorNamespace,
]);

/**
 * Why an original on `from` must not be copied, as the end of a sentence; undefined if it may.
 * Kubeconfigs of providers neither leave this cluster nor come in. Nothing comes into namespaces from which the
 * konnector takes kubeconfigs (spec/kbind-v2.md §27.8, K71). Tokens are recognized by their type, which metadata lacks.
 */
export function protectionOf(
  connections: readonly Connection[],
  from: Side,
  kind: RelatedKind,
  { metadata: { namespace = '', name, labels: its } }: KubeObject,
): string | undefined {
  if (SYSTEM_NAMESPACES.has(namespace)) return `namespace ${namespace} is that of Kubernetes itself`;
  const refs = connections
    .filter((connection) => malformation('Connection', connection) === undefined)
    .map(({ spec }) => spec.kubeconfigSecretRef);
  const isKonnectors =
    KONNECTOR_NAMESPACES.has(namespace) || refs.some((ref) => ref.namespace === namespace && from === 'provider');
  if (isKonnectors && (from === 'provider' || kind === 'secrets'))
    return `the konnector takes kubeconfigs from namespace ${namespace}`;
  if (kind !== 'secrets') return undefined;
  if (its?.[labels.providerKubeconfig] !== undefined)
    return `its label ${labels.providerKubeconfig} says that it is a kubeconfig of the konnector`;
  return refs.some((ref) => objectKey(ref) === objectKey({ namespace, name }))
    ? 'the konnector connects with it'
    : undefined;
}
