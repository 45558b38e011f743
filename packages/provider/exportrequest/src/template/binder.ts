import { fixedNames } from '@hawser/kube-bind';

/** The binding user: the ServiceAccount of the consumer's kubeconfig, in its cluster namespace. */
export interface Binder {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The user that the API server sees for the consumer's token. `name`: of the ServiceAccount in another dialect. */
export function binderOf(clusterNamespace: string, name: string = fixedNames.binder): Binder {
  return {
    user: `system:serviceaccount:${clusterNamespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${clusterNamespace}`, 'system:authenticated'],
  };
}
