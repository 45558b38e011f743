/** The table in the README, without Events, which another component writes. */
export const rights = [
  { apiGroups: ['kube-bind.io'], resources: ['bindableresourcesrequests'], verbs: ['create', 'get', 'list', 'delete'] },
  { apiGroups: ['kube-bind.io'], resources: ['bindableresourcesrequests/status'], verbs: ['patch'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates', 'collections'], verbs: ['get', 'list'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'patch'] },
  { apiGroups: ['kube-bind.io'], resources: ['boundschemas'], verbs: ['list'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiservicenamespaces'], verbs: ['list'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests'], verbs: ['create', 'get', 'list'] },
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['get', 'list', 'patch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  // For each exported resource.
  { apiGroups: ['example.com'], resources: ['*'], verbs: ['list'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['hawser-portal-keys', 'kubeconfig'],
    verbs: ['get', 'update'],
  },
] as const;

/** Further rights for Klutch. */
export const klutchRights = [
  { apiGroups: ['klutch.anynines.com'], resources: ['clusterbindings'], verbs: ['create', 'get', 'list', 'patch'] },
  { apiGroups: ['klutch.anynines.com'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'patch'] },
  { apiGroups: ['klutch.anynines.com'], resources: ['apiserviceexportrequests'], verbs: ['get', 'list'] },
  { apiGroups: ['klutch.anynines.com'], resources: ['apiservicenamespaces'], verbs: ['list'] },
  {
    apiGroups: ['example-backend.klutch.anynines.com'],
    resources: ['apiserviceexporttemplates'],
    verbs: ['get', 'list'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'watch'] },
] as const;
