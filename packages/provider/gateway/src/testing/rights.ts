import { kubeBindDialect } from '@hawser/kube-bind';
import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';

/** The table in the README, for resources of the groups of the tests. */
export const gatewayRights = (...groups: readonly string[]): readonly Rule[] => [
  { apiGroups: groups, resources: ['*'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  {
    apiGroups: [kubeBindDialect.apiGroup],
    resources: ['apiserviceexports', 'boundschemas', 'apiservicenamespaces'],
    verbs: ['list', 'watch'],
  },
  { apiGroups: [''], resources: ['namespaces', 'serviceaccounts'], verbs: ['list', 'watch'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    resourceNames: ['hawser-consumers'],
    verbs: ['list', 'watch'],
  },
];
