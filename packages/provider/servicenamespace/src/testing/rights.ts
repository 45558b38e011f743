import type { Rule } from './provider-cluster.js';

/** The table in the README, without Events, which another component writes. */
export const rights: readonly Rule[] = [
  { apiGroups: ['kube-bind.io'], resources: ['apiservicenamespaces'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiservicenamespaces/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch', 'create'] },
];

/** Further rights for reclaiming. */
export const reclaimRights: readonly Rule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['delete'] },
  { apiGroups: ['*'], resources: ['*'], verbs: ['list'] },
];

/** Rights for limits. */
export const limitRights: readonly Rule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['resourcequotas', 'limitranges'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['resourcequotas', 'limitranges'],
    resourceNames: ['hawser'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
];
