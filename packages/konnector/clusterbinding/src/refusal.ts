import { type KubeconfigPolicy, parseSecretKubeconfig } from '@hawser/kubeconfig';

/**
 * Why a Secret's value (base64) does not take the place of the kubeconfig of a connection, in words that do not quote it; undefined if it may. It has to be one with which a
 * connection could be made, and for the same cluster namespace: that is where the Secret was found.
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

/** {@link kubeconfigRefusal} of one connection. The same value is looked at again with every report: it is parsed only when it is another one. */
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
