import { fixedNames } from '@hawser/kube-bind';

/** Who binds: the ServiceAccount in the cluster namespace that the consumer's kubeconfig belongs to. */
export interface Binder {
  readonly user: string;
  readonly groups: readonly string[];
}

/** As the API server sees it when the consumer uses its token. `name`: of the ServiceAccount, where that is another dialect's. */
export function binderOf(clusterNamespace: string, name: string = fixedNames.binder): Binder {
  return {
    user: `system:serviceaccount:${clusterNamespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${clusterNamespace}`, 'system:authenticated'],
  };
}
