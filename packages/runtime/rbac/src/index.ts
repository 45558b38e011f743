export type {
  AggregationRule,
  Binding,
  LabelRequirement,
  LabelSelector,
  PolicyRule,
  Role,
  RoleRef,
  Subject,
} from './policy-rule.js';
export { describeRule, rbacApiGroup } from './policy-rule.js';
export type { Attributes, NonResourceAttributes, ResourceAttributes, User } from './attributes.js';
export { ruleAllows } from './attributes.js';
export { type Authorizer, type Decision, type RulesReview, createAuthorizer, mastersGroup } from './authorizer.js';
export { type RbacLookup, type RbacObjects, lookupOf } from './rule-resolver.js';
export { type RuleDifference, breakDown, compact, covers, differenceOf, uncovered } from './covers.js';
export { type GrantRefusal, type RoleWrite, EscalationCheck } from './escalation.js';
export { aggregateRules, isSelected } from './aggregation.js';
export { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './bootstrap.js';
