import { type Dialect, kubeBindDialect } from '@hawser/kube-bind';

/** The table in the README, without Events, which another component writes. */
export const rightsIn = ({
  apiGroup,
  names: { binder },
}: Dialect): readonly {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}[] => [
  { apiGroups: [apiGroup], resources: ['clusterbindings'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [apiGroup], resources: ['clusterbindings/status'], verbs: ['get', 'patch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['serviceaccounts', 'secrets'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['serviceaccounts'],
    resourceNames: [binder],
    verbs: ['get', 'list', 'watch', 'delete'],
  },
  { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [binder], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [binder, `${binder}-next`],
    verbs: ['get', 'list', 'watch', 'delete'],
  },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['kubeconfig'], verbs: ['get', 'list', 'watch', 'patch'] },
];

export const rights = rightsIn(kubeBindDialect);
