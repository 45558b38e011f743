import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';

/** The table in the README, without Events, which another component writes. */
export const rights: readonly Rule[] = [
  { apiGroups: ['kube-bind.io'], resources: ['clusters'], verbs: ['get', 'list', 'watch', 'create'] },
  { apiGroups: ['kube-bind.io'], resources: ['clusters/status'], verbs: ['get', 'patch'] },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['apiserviceexports', 'apiservicenamespaces', 'bindableresourcesrequests'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings/status'], verbs: ['get', 'patch'] },
];
