import { type Binding, type RbacLookup, type Role, rbacApiGroup } from '@hawser/rbac';
import type { JsonObject } from '@hawser/json';
import type { ServerHost } from '../parts.js';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac-resources.js';

/** The current stored roles and bindings. Caches lists of bindings until an RBAC object changes. */
export function storedPolicy({ objects }: ServerHost): RbacLookup {
  const bindings = new Map<string, readonly Binding[]>();
  objects.onChange(({ resource }) => {
    if (resource.group === rbacApiGroup) bindings.clear();
  });
  const bindingsIn = (namespace: string): readonly Binding[] => {
    let known = bindings.get(namespace);
    if (known === undefined) {
      known = (namespace === '' ? objects.list(clusterRoleBindings) : objects.list(roleBindings, namespace)).map(
        asBinding,
      );
      bindings.set(namespace, known);
    }
    return known;
  };
  return {
    clusterRole: (name) => asRole(objects.get(clusterRoles, { namespace: '', name })),
    role: (namespace, name) => asRole(objects.get(roles, { namespace, name })),
    clusterRoleBindings: () => bindingsIn(''),
    roleBindings: bindingsIn,
  };
}

/** Stored objects are valid. */
export function asRole(object: JsonObject): Role;
export function asRole(object: JsonObject | undefined): Role | undefined;
export function asRole(object: JsonObject | undefined): Role | undefined {
  return object as unknown as Role | undefined;
}

export function asBinding(object: JsonObject): Binding {
  return object as unknown as Binding;
}
