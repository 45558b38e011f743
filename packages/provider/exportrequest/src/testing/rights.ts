import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';

/** The table in the README. */
export const rights: readonly Rule[] = [
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests/status', 'apiserviceexports/status'], verbs: ['patch'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexports', 'boundschemas', 'apiservicenamespaces'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];
