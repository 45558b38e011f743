import {
  type Binding,
  type Role,
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
  rbacApiGroup,
} from '@hawser/rbac';
import type { JsonObject } from '@hawser/json';
import type { ServerHost } from '../parts.js';
import type { GroupResource } from '../status.js';
import { clusterRoleBindings, clusterRoles } from './rbac-resources.js';

/** Creates the ClusterRoles and bindings of every cluster; leaves existing ones alone. */
export function bootstrapPolicy(host: ServerHost): void {
  for (const role of bootstrapClusterRoles) put(host, clusterRoles, 'ClusterRole', role);
  for (const binding of bootstrapClusterRoleBindings) put(host, clusterRoleBindings, 'ClusterRoleBinding', binding);
}

function put(host: ServerHost, resource: GroupResource, kind: string, object: Role | Binding): void {
  if (host.objects.get(resource, { namespace: '', name: object.metadata.name }) !== undefined) return;
  host.objects.create(
    resource,
    { ...(object as unknown as JsonObject), apiVersion: `${rbacApiGroup}/v1`, kind },
    { fieldManager: 'kube-apiserver' },
  );
}
