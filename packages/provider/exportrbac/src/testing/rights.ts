import { kubeBindDialect } from '@hawser/kube-bind';
import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';
import { consumerRoles } from '../consumer-roles.js';
import { databases, zones } from './objects.js';

/** The table in the README, for the two resources of the tests. */
export const rights: readonly Rule[] = [
  {
    apiGroups: ['kube-bind.io'],
    resources: ['apiserviceexports', 'apiserviceexportrequests', 'apiservicenamespaces'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['kube-bind.io'], resources: ['boundschemas'], verbs: ['get', 'list', 'watch', 'patch'] },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['apiserviceexports/status', 'apiserviceexportrequests/status'],
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    resourceNames: ['hawser-consumers'],
    verbs: ['get', 'list', 'watch'],
  },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['rolebindings', 'clusterrolebindings'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['get', 'delete'] },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    resourceNames: consumerRoles([databases, zones], kubeBindDialect).map(({ metadata }) => metadata.name),
    verbs: ['bind'],
  },
];
