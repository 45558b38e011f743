import type { User } from './attributes.js';
import { createAuthorizer, mastersGroup } from './authorizer.js';
import { compact, uncovered } from './covers.js';
import {
  type Binding,
  describeRule,
  describeTexts,
  type PolicyRule,
  quote,
  rbacApiGroup,
  type Role,
} from './policy-rule.js';
import { type RbacLookup, resolveGrants, resolveRole } from './rule-resolver.js';

/** Reason for refusing the write of a role or binding. */
export type GrantRefusal =
  /** 403: `message` is the detail of the `Forbidden` status. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** 404: there is no such role to bind. */
  | { readonly kind: 'roleNotFound'; readonly name: string }
  /** 500: a binding names something that is not a role. */
  | { readonly kind: 'invalidReference'; readonly message: string };

export interface RoleWrite {
  readonly role: Role;
  /** On an update, the role before it. */
  readonly previous?: Role;
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const isAggregating = (role: Role | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

/**
 * Prevents privilege escalation (kubernetes `pkg/registry/rbac/*` `policybased`). Writing a role takes its rules or the
 * verb `escalate`; binding it takes its rules or the verb `bind` on it. Members of `system:masters` may grant anything.
 */
export class EscalationCheck {
  constructor(private readonly lookup: RbacLookup) {}

  /** Why the user may not write a Role or ClusterRole; undefined if allowed. */
  roleRefusal(user: User, { role, previous }: RoleWrite): GrantRefusal | undefined {
    const { name, namespace = '' } = role.metadata;
    const resource = namespace === '' ? 'clusterroles' : 'roles';
    // A create request does not name its object.
    if (this.#may(user, 'escalate', resource, namespace, previous === undefined ? '' : name)) {
      return undefined;
    }
    const refusal = this.#grantRefusal(user, namespace, role.rules ?? []);
    if (refusal !== undefined || namespace !== '' || (!isAggregating(role) && !isAggregating(previous))) {
      return refusal;
    }
    return this.#missing(user, '', everything).length === 0
      ? undefined
      : { kind: 'forbidden', message: 'must have cluster-admin privileges to use the aggregationRule' };
  }

  /** Why the user may not write a RoleBinding or ClusterRoleBinding; undefined if allowed. */
  bindingRefusal(user: User, { metadata, roleRef }: Binding): GrantRefusal | undefined {
    const { namespace = '' } = metadata;
    const isKnown = roleRef.kind === 'ClusterRole' || roleRef.kind === 'Role';
    if (
      isKnown &&
      this.#may(user, 'bind', roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles', namespace, roleRef.name)
    ) {
      return undefined;
    }
    const rules = resolveRole(this.lookup, roleRef, namespace);
    if ('problem' in rules) {
      return isKnown
        ? { kind: 'roleNotFound', name: roleRef.name }
        : { kind: 'invalidReference', message: rules.problem };
    }
    return this.#grantRefusal(user, namespace, rules);
  }

  #grantRefusal(user: User, namespace: string, rules: readonly PolicyRule[]): GrantRefusal | undefined {
    const missing = user.groups.includes(mastersGroup) ? [] : this.#missing(user, namespace, rules);
    if (missing.length === 0) {
      return undefined;
    }
    const texts = [...new Set(compact(missing).map(describeRule))].sort();
    const message = `user ${quote(user.name)} (groups=${describeTexts(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${texts.join('\n')}`;
    const { evaluationError } = createAuthorizer(this.lookup).rulesFor(user, namespace);
    return {
      kind: 'forbidden',
      message: evaluationError === undefined ? message : `${message}; resolution errors: [${evaluationError}]`,
    };
  }

  #missing(user: User, namespace: string, rules: readonly PolicyRule[]): readonly PolicyRule[] {
    const owned = [...resolveGrants(this.lookup, user, namespace)].flatMap((grant) =>
      grant.kind === 'rule' ? [grant.rule] : [],
    );
    return uncovered(owned, rules);
  }

  #may(user: User, verb: 'escalate' | 'bind', resource: string, namespace: string, name: string): boolean {
    return createAuthorizer(this.lookup).authorize(user, { verb, group: rbacApiGroup, resource, namespace, name })
      .allowed;
  }
}
