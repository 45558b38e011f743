import { apiGroup, fixedNames, type GroupResource } from '@hawser/kube-bind';
import type { PolicyRule } from '@hawser/rbac';
import { type RoleObject, rbacVersion } from './rbac-objects.js';
import { rightsFor, roleName, rulesOf } from './right.js';

const read = ['get', 'list', 'watch'] as const;

/**
 * What every consumer may do in its cluster namespace. That of the Go backend (spec/kube-bind-backend.md §6.2) without `update` and `patch` on
 * APIServiceNamespaces, which no konnector uses: what is in them stays what the provider put there.
 */
export const binderRules: readonly PolicyRule[] = [
  { apiGroups: [apiGroup], resources: ['apiserviceexportrequests'], verbs: ['create', 'delete', 'patch', 'update', ...read] },
  { apiGroups: [apiGroup], resources: ['apiservicenamespaces'], verbs: ['create', 'delete', ...read] },
  { apiGroups: [apiGroup], resources: ['clusterbindings', 'apiserviceexports', 'boundschemas'], verbs: read },
  { apiGroups: [apiGroup], resources: ['clusterbindings/status', 'apiserviceexports/status', 'boundschemas/status'], verbs: ['get', 'patch', 'update'] },
  // The uid of the cluster namespace, and the kubeconfig that the provider hands out. A Go konnector lists Secrets unfiltered.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], verbs: read },
];

/** The ClusterRoles that an operator makes for the provider role to bind: one for cluster namespaces, and those for what is exported. */
export function consumerRoles(exported: readonly GroupResource[]): readonly RoleObject[] {
  return [role(fixedNames.binder, binderRules), ...rightsFor(exported).map((right) => role(roleName(right), rulesOf(right)))];
}

function role(name: string, rules: readonly PolicyRule[]): RoleObject {
  return { apiVersion: rbacVersion, kind: 'ClusterRole', metadata: { name }, rules };
}
