import { type KubeconfigPolicy, parseSecretKubeconfig } from '@hawser/kubeconfig';

/**
 * Why a Secret value (base64) may not replace a connection's kubeconfig, without quoting it; undefined if it may. It
 * must allow a connection, and name the cluster namespace in which the Secret was found.
 */
export function kubeconfigRefusal(
  value: string,
  clusterNamespace: string,
  policy: KubeconfigPolicy,
): string | undefined {
  const parsed = parseSecretKubeconfig(Buffer.from(value, 'base64'), policy);
  if (!parsed.ok) return parsed.problems.map(({ message }) => message).join(' ');
  return parsed.namespace === clusterNamespace
    ? undefined
    : 'The namespace of its current context is another than the cluster namespace that it was found in.';
}

/** Caches {@link kubeconfigRefusal} for one connection: parses a value only when it changes. */
export function rememberRefusal(
  clusterNamespace: string,
  policy: KubeconfigPolicy,
): (value: string) => string | undefined {
  let last: { readonly value: string; readonly refusal: string | undefined } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, refusal: kubeconfigRefusal(value, clusterNamespace, policy) };
    return last.refusal;
  };
}
