/** Programs that make up a control plane, by the names of their files. */
export const programs = ['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager'] as const;

export type Program = (typeof programs)[number];

/** The Kubernetes and etcd releases used where nothing else is asked for. */
export const defaultKubernetesVersion = '1.36.3';
export const defaultEtcdVersion = '3.6.8';

/** `1.36.3`, whether it was given as `v1.36.3` or `1.36.3`. */
export function plainVersion(version: string): string {
  return version.startsWith('v') ? version.slice(1) : version;
}
