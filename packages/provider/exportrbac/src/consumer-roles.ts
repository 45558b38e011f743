import { type Dialect, type GroupResource } from '@hawser/kube-bind';
import type { PolicyRule } from '@hawser/rbac';
import { type RoleObject, rbacVersion } from './rbac-objects.js';
import { rightsFor, roleName, rulesOf } from './right.js';

const reading = ['get', 'list', 'watch'] as const;

/**
 * Rules of every consumer in its cluster namespace. Like the Go backends' (spec/kube-bind-backend.md §6.2), without
 * `update` and `patch` on APIServiceNamespaces: no konnector uses them, and the provider's content stays as it is.
 */
function binderRules({ apiGroup, schema }: Dialect): readonly PolicyRule[] {
  const read = ['clusterbindings', 'apiserviceexports', ...(schema === 'BoundSchemas' ? ['boundschemas'] : [])];
  return [
    {
      apiGroups: [apiGroup],
      resources: ['apiserviceexportrequests'],
      verbs: ['create', 'delete', 'patch', 'update', ...reading],
    },
    { apiGroups: [apiGroup], resources: ['apiservicenamespaces'], verbs: ['create', 'delete', ...reading] },
    { apiGroups: [apiGroup], resources: read, verbs: reading },
    {
      apiGroups: [apiGroup],
      resources: read.map((resource) => `${resource}/status`),
      verbs: ['get', 'patch', 'update'],
    },
    // The uid of the cluster namespace, and the provider's kubeconfig. A Go konnector lists Secrets unfiltered.
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
    { apiGroups: [''], resources: ['secrets'], verbs: reading },
  ];
}

/** ClusterRoles that an operator creates for binding: one for cluster namespaces, and those for exports. */
export function consumerRoles(exported: readonly GroupResource[], dialect: Dialect): readonly RoleObject[] {
  return [
    role(dialect.names.binder, binderRules(dialect)),
    ...rightsFor(exported).map((right) => role(roleName(dialect, right), rulesOf(right))),
  ];
}

function role(name: string, rules: readonly PolicyRule[]): RoleObject {
  return { apiVersion: rbacVersion, kind: 'ClusterRole', metadata: { name }, rules };
}
