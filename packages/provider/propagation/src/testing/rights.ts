/** Rights of the controllers of these tests; see the READMEs. */
export const rights = [
  {
    apiGroups: ['kube-bind.io'],
    resources: [
      'apiserviceexports',
      'boundschemas',
      'apiserviceexportrequests',
      'apiservicenamespaces',
      'clusterbindings',
    ],
    verbs: ['get', 'list', 'watch'],
  },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['boundschemas', 'apiserviceexports', 'apiserviceexports/status'],
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];

/** Rights for Klutch. */
export const klutchRights = [
  {
    apiGroups: ['klutch.anynines.com'],
    resources: ['apiserviceexports', 'apiserviceexportrequests', 'apiservicenamespaces', 'clusterbindings'],
    verbs: ['get', 'list', 'watch'],
  },
  {
    apiGroups: ['klutch.anynines.com'],
    resources: ['apiserviceexports', 'apiserviceexports/status'],
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];
