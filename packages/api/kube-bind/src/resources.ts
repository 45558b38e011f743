import type { Resource } from '@hawser/client';
import { apiGroup, version } from './group.js';

const own = (resource: string): Resource => ({ group: apiGroup, version, resource });
const core = (resource: string): Resource => ({ group: '', version: 'v1', resource });
const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });

/**
 * Kinds that a binding reads and writes: those of `kube-bind.io` at v1alpha2, and those of Kubernetes that belong to
 * them.
 */
export const resources = {
  apiServiceBindings: own('apiservicebindings'),
  apiServiceBindingBundles: own('apiservicebindingbundles'),
  apiServiceExports: own('apiserviceexports'),
  apiServiceExportRequests: own('apiserviceexportrequests'),
  apiServiceExportTemplates: own('apiserviceexporttemplates'),
  apiServiceNamespaces: own('apiservicenamespaces'),
  bindableResourcesRequests: own('bindableresourcesrequests'),
  boundSchemas: own('boundschemas'),
  clusterBindings: own('clusterbindings'),
  clusters: own('clusters'),
  collections: own('collections'),
  customResourceDefinitions: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
  secrets: core('secrets'),
  namespaces: core('namespaces'),
  configMaps: core('configmaps'),
  serviceAccounts: core('serviceaccounts'),
  events: core('events'),
  roles: rbac('roles'),
  roleBindings: rbac('rolebindings'),
  clusterRoles: rbac('clusterroles'),
  clusterRoleBindings: rbac('clusterrolebindings'),
  leases: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
} as const satisfies Record<string, Resource>;
