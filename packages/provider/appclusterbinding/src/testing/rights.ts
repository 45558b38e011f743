import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';

const klutch = ['klutch.anynines.com'];
const rbac = ['rbac.authorization.k8s.io'];

/** The table in the README, without Events, which another component writes. */
export const rights: readonly Rule[] = [
  { apiGroups: klutch, resources: ['appclusterbindings'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: klutch, resources: ['appclusterbindings/status'], verbs: ['patch'] },
  {
    apiGroups: klutch,
    resources: ['apiservicebindings'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: klutch, resources: ['apiserviceexportrequests'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: klutch, resources: ['apiserviceexports'], verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
  { apiGroups: klutch, resources: ['clusterbindings'], verbs: ['get', 'list', 'watch', 'create'] },
  { apiGroups: klutch, resources: ['apiservicenamespaces'], verbs: ['list', 'delete'] },
  {
    apiGroups: ['example-backend.klutch.anynines.com'],
    resources: ['apiserviceexporttemplates'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: [''], resources: ['serviceaccounts', 'secrets', 'configmaps'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['serviceaccounts'],
    resourceNames: ['klutch-binder'],
    verbs: ['get', 'list', 'watch', 'delete'],
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['kubeconfig'],
    verbs: ['get', 'list', 'watch', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: ['hawser-left-behind'], verbs: ['get', 'patch'] },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: rbac, resources: ['rolebindings'], verbs: ['create'] },
  {
    apiGroups: rbac,
    resources: ['rolebindings'],
    resourceNames: ['control-plane-connector'],
    verbs: ['get', 'list', 'watch', 'patch', 'delete'],
  },
  { apiGroups: rbac, resources: ['clusterrolebindings'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: rbac, resources: ['clusterroles'], verbs: ['get', 'delete'] },
  {
    apiGroups: rbac,
    resources: ['clusterroles'],
    resourceNames: ['control-plane-connector', 'klutch-konnector'],
    verbs: ['bind'],
  },
];

/** Rights in the namespaces with the kubeconfigs of app clusters. */
export const sourceRights: readonly Rule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
];

/** Further rights for the deletion policy `Block`. */
export const blockRights: readonly Rule[] = [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }];
