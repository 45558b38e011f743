import { type Attributes, ruleAllows, type User } from './attributes.js';
import type { PolicyRule } from './policy-rule.js';
import { describeGrant, type RbacLookup, resolveGrants } from './rule-resolver.js';

/** Group whose members may do everything, whatever the roles say. */
export const mastersGroup = 'system:masters';

/** The reason has the words of an API server, and may be empty. */
export type Decision =
  { readonly allowed: true; readonly reason: string } | { readonly allowed: false; readonly reason: string };

/** A user's rights in a namespace (authorization/v1 `SubjectRulesReviewStatus`). */
export interface RulesReview {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  /** Whether more may be allowed than is listed. RBAC alone always lists all. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface Authorizer {
  /** Whether a user may do something. Only ClusterRoleBindings allow a request without a namespace. */
  readonly authorize: (user: User, attributes: Attributes) => Decision;
  /** A user's rights in a namespace, rule by rule as in the roles. */
  readonly rulesFor: (user: User, namespace: string) => RulesReview;
}

/** Joins problems as Go formats an aggregate of errors: each once. */
export const aggregateProblems = (problems: readonly string[]): string => {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]`;
};

const authorize = (lookup: RbacLookup, user: User, attributes: Attributes): Decision => {
  if (user.groups.includes(mastersGroup)) {
    return { allowed: true, reason: '' };
  }
  const problems: string[] = [];
  for (const grant of resolveGrants(lookup, user, 'path' in attributes ? '' : (attributes.namespace ?? ''))) {
    if (grant.kind === 'unresolved') {
      problems.push(grant.problem);
    } else if (ruleAllows(grant.rule, attributes)) {
      return { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant.binding, grant.subject)}` };
    }
  }
  return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregateProblems(problems)}` };
};

const isEmpty = (texts: readonly string[] | undefined): boolean => (texts ?? []).length === 0;

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): PolicyRule => ({
  verbs,
  ...(apiGroups === undefined || isEmpty(apiGroups) ? {} : { apiGroups }),
  ...(resources === undefined ? {} : { resources }),
  ...(resourceNames === undefined || isEmpty(resourceNames) ? {} : { resourceNames }),
});

const rulesFor = (lookup: RbacLookup, user: User, namespace: string): RulesReview => {
  const grants = [...resolveGrants(lookup, user, namespace)];
  const rules = grants.flatMap((grant) => (grant.kind === 'rule' ? [grant.rule] : []));
  const problems = grants.flatMap((grant) => (grant.kind === 'unresolved' ? [grant.problem] : []));
  return {
    resourceRules: rules.filter(({ resources }) => !isEmpty(resources)).map(resourceRule),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete: false,
    ...(problems.length === 0 ? {} : { evaluationError: aggregateProblems(problems) }),
  };
};

/**
 * Decides like kube-apiserver's RBAC authorizer, by the roles and bindings of the lookup at that moment (kubernetes
 * `plugin/pkg/auth/authorizer/rbac`).
 */
export const createAuthorizer = (lookup: RbacLookup): Authorizer => ({
  authorize: (user, attributes) => authorize(lookup, user, attributes),
  rulesFor: (user, namespace) => rulesFor(lookup, user, namespace),
});
