import { type KubeconfigPolicy, parseSecretKubeconfig } from '@hawser/kubeconfig';

/** Why no connection could be made with a Secret's value (base64), in words that do not quote it; undefined if one could. */
export function kubeconfigRefusal(value: string, policy: KubeconfigPolicy): string | undefined {
  const parsed = parseSecretKubeconfig(Buffer.from(value, 'base64'), policy);
  return parsed.ok ? undefined : parsed.problems.map(({ message }) => message).join(' ');
}
