/** The tables in the README, without Events, which another component writes. */
export const rights = [
  { apiGroups: ['kube-bind.io'], resources: ['bindableresourcesrequests'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: ['kube-bind.io'], resources: ['bindableresourcesrequests/status'], verbs: ['get', 'patch'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['get', 'list', 'watch', 'create'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch', 'create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['kubeconfig'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'get', 'patch'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['create'] },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['rolebindings'],
    resourceNames: ['kube-binder'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    resourceNames: ['kube-binder'],
    verbs: ['bind'],
  },
] as const;
