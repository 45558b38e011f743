import { fixedNames } from '@hawser/kube-bind';

/** Who binds: the ServiceAccount in the cluster namespace that the consumer's kubeconfig belongs to. */
export interface Binder {
  readonly user: string;
  readonly groups: readonly string[];
}

/** As the API server sees it when the consumer uses its token. */
export function binderOf(clusterNamespace: string): Binder {
  return {
    user: `system:serviceaccount:${clusterNamespace}:${fixedNames.binder}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${clusterNamespace}`, 'system:authenticated'],
  };
}
