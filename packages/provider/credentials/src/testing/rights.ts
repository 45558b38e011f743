/** The table in the README, without the Events, which somebody else writes. */
export const rights = [
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings/status'], verbs: ['get', 'patch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['serviceaccounts', 'secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['kube-binder'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['kube-binder'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['kube-binder', 'kube-binder-next'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['kubeconfig'], verbs: ['get', 'list', 'watch', 'patch'] },
] as const;
