import { type Attributes, type RbacLookup, createAuthorizer } from '@hawser/rbac';
import type { Personality } from '../personality.js';
import type { AuthOptions, AuthParts, AuthorizationAttributes, Decision, ServerHost } from '../parts.js';
import { accessReviews } from './access-reviews.js';
import { Authenticator } from './authenticator.js';
import { bootstrapPolicy } from './bootstrap.js';
import { checkEscalation } from './escalation.js';
import { forbiddenError } from './forbidden.js';
import { impersonate } from './impersonation.js';
import { selfSubjectRulesReviews } from './rules-review.js';
import { selfSubjectReviews } from './self-subject-review.js';
import { ServiceAccountTokens } from './service-account-tokens.js';
import { SigningKey, randomSeed } from './signing-key.js';
import { storedPolicy } from './stored-policy.js';
import { tokenRequests } from './token-request.js';
import { tokenReviews } from './token-review.js';
import { tokenSecrets } from './token-secrets.js';

/** Authentication, impersonation and authorization of requests, and the resources for them. */
export function createAuth(host: ServerHost, options: AuthOptions, personality: Personality = {}): AuthParts {
  const tokens = new ServiceAccountTokens(host, new SigningKey(options.signingKey ?? randomSeed(host.random)));
  const authenticator = new Authenticator(options, tokens);
  const policy =
    personality.policy === undefined ? storedPolicy(host) : together(storedPolicy(host), personality.policy);
  const authorizer = createAuthorizer(policy);
  const isOpen = options.authorization === 'allow-all';
  const byRoles = (attributes: AuthorizationAttributes): Decision =>
    authorizer.authorize(attributes.user, attributesOf(attributes));
  const decide = (attributes: AuthorizationAttributes): Decision =>
    personality.authorize?.(attributes, byRoles) ?? byRoles(attributes);
  const authorize = (attributes: AuthorizationAttributes): Decision =>
    isOpen ? { allowed: true, reason: '' } : decide(attributes);
  return {
    authenticate: (request) => authenticator.authenticate(request),
    impersonate: (request, user, info) => impersonate(request, user, info, authorize),
    authorize,
    forbidden: forbiddenError,
    checkEscalation: (user, resource, object, previous) => {
      if (!isOpen) checkEscalation(policy, user, resource, object, previous);
    },
    bootstrap: () => {
      if (personality.policy === undefined) bootstrapPolicy(host);
    },
    virtualResources: [
      ...accessReviews(host),
      selfSubjectRulesReviews(authorizer),
      selfSubjectReviews(host),
      tokenReviews(authenticator),
      tokenRequests(host, tokens),
    ],
    controllers: [tokenSecrets(host, tokens)],
  };
}

/** Union of both; roles of the first hide those of the second. */
function together(first: RbacLookup, second: RbacLookup): RbacLookup {
  return {
    clusterRole: (name) => first.clusterRole(name) ?? second.clusterRole(name),
    role: (namespace, name) => first.role(namespace, name) ?? second.role(namespace, name),
    *clusterRoleBindings() {
      yield* first.clusterRoleBindings();
      yield* second.clusterRoleBindings();
    },
    *roleBindings(namespace) {
      yield* first.roleBindings(namespace);
      yield* second.roleBindings(namespace);
    },
  };
}

function attributesOf({
  isResourceRequest,
  verb,
  path,
  apiGroup,
  resource,
  subresource,
  namespace,
  name,
}: AuthorizationAttributes): Attributes {
  return isResourceRequest ? { verb, group: apiGroup, resource, subresource, namespace, name } : { verb, path };
}
