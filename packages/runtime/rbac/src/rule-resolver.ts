import type { User } from './attributes.js';
import {
  type Binding,
  type PolicyRule,
  quote,
  rbacApiGroup,
  type Role,
  type RoleRef,
  type Subject,
} from './policy-rule.js';

/** Looks up roles and bindings. Called for every decision: cache expensive results here. */
export interface RbacLookup {
  readonly clusterRole: (name: string) => Role | undefined;
  readonly role: (namespace: string, name: string) => Role | undefined;
  readonly clusterRoleBindings: () => Iterable<Binding>;
  readonly roleBindings: (namespace: string) => Iterable<Binding>;
}

/** The RBAC objects of a cluster, for a lookup. */
export interface RbacObjects {
  readonly clusterRoles?: readonly Role[];
  readonly roles?: readonly Role[];
  readonly clusterRoleBindings?: readonly Binding[];
  readonly roleBindings?: readonly Binding[];
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

/** A lookup over fixed objects. Keeps the given order of bindings. */
export const lookupOf = ({
  clusterRoles = [],
  roles = [],
  clusterRoleBindings = [],
  roleBindings = [],
}: RbacObjects): RbacLookup => {
  const clusterRolesByName = new Map(clusterRoles.map((role) => [role.metadata.name, role]));
  const rolesByKey = new Map(roles.map((role) => [keyOf(role.metadata.namespace, role.metadata.name), role]));
  const bindingsByNamespace = Map.groupBy(roleBindings, (binding) => binding.metadata.namespace ?? '');
  return {
    clusterRole: (name) => clusterRolesByName.get(name),
    role: (namespace, name) => rolesByKey.get(keyOf(namespace, name)),
    clusterRoleBindings: () => clusterRoleBindings,
    roleBindings: (namespace) => bindingsByNamespace.get(namespace) ?? [],
  };
};

/** A granted rule and its binding; or the reason why the rules of a binding are unknown. */
export type Grant =
  | { readonly kind: 'rule'; readonly rule: PolicyRule; readonly binding: Binding; readonly subject: Subject }
  | { readonly kind: 'unresolved'; readonly problem: string; readonly binding: Binding };

const isServiceAccount = (username: string, namespace: string, name: string): boolean =>
  namespace !== '' && username === `system:serviceaccount:${namespace}:${name}`;

const isMeant = (subject: Subject, user: User, namespace: string): boolean => {
  switch (subject.kind) {
    case 'User':
      return user.name === subject.name;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount':
      return isServiceAccount(
        user.name,
        (subject.namespace ?? '') === '' ? namespace : (subject.namespace ?? ''),
        subject.name,
      );
    default:
      return false;
  }
};

/** The rules of a binding's role, or the reason why they are unknown. */
export const resolveRole = (
  lookup: RbacLookup,
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] | { readonly problem: string } => {
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    return { problem: `unsupported role reference kind: ${quote(kind)}` };
  }
  const role = kind === 'ClusterRole' ? lookup.clusterRole(name) : lookup.role(namespace, name);
  return role === undefined
    ? { problem: `${kind.toLowerCase()}.${rbacApiGroup} ${quote(name)} not found` }
    : (role.rules ?? []);
};

function* grantsOf(lookup: RbacLookup, user: User, bindings: Iterable<Binding>, namespace: string): Generator<Grant> {
  for (const binding of bindings) {
    const subject = binding.subjects?.find((each) => isMeant(each, user, namespace));
    if (subject === undefined) {
      continue;
    }
    const rules = resolveRole(lookup, binding.roleRef, namespace);
    if ('problem' in rules) {
      yield { kind: 'unresolved', problem: rules.problem, binding };
      continue;
    }
    for (const rule of rules) {
      yield { kind: 'rule', rule, binding, subject };
    }
  }
}

/** Yields all grants of a user: first cluster-wide, then in the namespace. Resolves lazily. */
export function* resolveGrants(lookup: RbacLookup, user: User, namespace: string): Generator<Grant> {
  yield* grantsOf(lookup, user, lookup.clusterRoleBindings(), '');
  if (namespace !== '') {
    yield* grantsOf(lookup, user, lookup.roleBindings(namespace), namespace);
  }
}

/**
 * Describes the binding of a grant in the words of an API server: `ClusterRoleBinding "a" of ClusterRole "b" to User
 * "c"`.
 */
export const describeGrant = ({ metadata, roleRef }: Binding, subject: Subject): string => {
  const { name, namespace = '' } = metadata;
  const binding =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  const account = `${subject.name}/${(subject.namespace ?? '') === '' ? namespace : (subject.namespace ?? '')}`;
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(subject.kind === 'ServiceAccount' ? account : subject.name)}`;
};
