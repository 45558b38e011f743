import { type AuthorizationAttributes, type Decision } from '@hawser/apiserver';
import {
  type Binding,
  type RbacLookup,
  type Role,
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
  lookupOf,
  mastersGroup,
  rbacApiGroup,
} from '@hawser/rbac';

/** Members have every right in every workspace. */
export const adminGroup = 'system:kcp:admin';

const access: Role = {
  metadata: { name: 'system:kcp:workspace:access' },
  rules: [{ nonResourceURLs: ['/'], verbs: ['access'] }],
};

const bindingOf = (name: string, group: string, role: string): Binding => ({
  metadata: { name },
  roleRef: { apiGroup: rbacApiGroup, kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'Group', apiGroup: rbacApiGroup, name: group }],
});

/** Roles in every workspace besides the stored ones. */
export const workspacePolicy: RbacLookup = lookupOf({
  clusterRoles: [...bootstrapClusterRoles, access],
  clusterRoleBindings: [...bootstrapClusterRoleBindings, bindingOf(adminGroup, adminGroup, 'cluster-admin')],
});

const DENIED: Decision = { allowed: false, reason: 'access denied' };

/** Checks whether the user may enter the workspace, then whether a role in it allows the request. */
export function authorizeInWorkspace(
  attributes: AuthorizationAttributes,
  rbac: (attributes: AuthorizationAttributes) => Decision,
): Decision {
  const { user } = attributes;
  if (user.groups.includes(mastersGroup)) return { allowed: true, reason: '' };
  const entering = { ...attributes, isResourceRequest: false, path: '/', verb: 'access' };
  // ServiceAccounts belong to the workspace itself.
  if (!user.name.startsWith('system:serviceaccount:') && !rbac(entering).allowed) return DENIED;
  const decision = rbac(attributes);
  return decision.allowed ? decision : DENIED;
}
