import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';

/** Rights of the controller of these tests; see the README. */
export const rights = (group: string): readonly Rule[] => [
  {
    apiGroups: [group],
    resources: ['apiserviceexports', 'apiservicenamespaces', 'clusterbindings'],
    verbs: ['get', 'list', 'watch'],
  },
  {
    apiGroups: [group],
    resources: ['apiserviceexports', 'apiserviceexports/status', 'clusterbindings/status'],
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];
