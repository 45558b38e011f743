import { rbacApiGroup } from '@hawser/rbac';
import type { GroupResource } from '../status.js';

const of = (resource: string): GroupResource => ({ group: rbacApiGroup, resource });

export const clusterRoles = of('clusterroles');
export const clusterRoleBindings = of('clusterrolebindings');
export const roles = of('roles');
export const roleBindings = of('rolebindings');
