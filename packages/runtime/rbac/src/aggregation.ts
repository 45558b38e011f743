import type { AggregationRule, LabelRequirement, LabelSelector, PolicyRule, Role } from './policy-rule.js';

const isMet = ({ key, operator, values = [] }: LabelRequirement, labels: Readonly<Record<string, string>>): boolean => {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
};

/** Whether a selector selects an object with these labels. */
export const isSelected = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
  matchExpressions.every((requirement) => isMet(requirement, labels));

const listKey = (texts: readonly string[] | undefined): readonly string[] => texts ?? [];

/** Key of a rule. Rules are equal if their lists are, in order; an empty list equals a missing one. */
const keyOf = (rule: PolicyRule): string =>
  JSON.stringify([
    rule.verbs,
    listKey(rule.apiGroups),
    listKey(rule.resources),
    listKey(rule.resourceNames),
    listKey(rule.nonResourceURLs),
  ]);

/**
 * Computes the aggregated rules of a ClusterRole: selector by selector, of the selected ClusterRoles by name, each rule
 * once. Never selects the ClusterRole itself (kubernetes `pkg/controller/clusterroleaggregation`).
 *
 * @param name - of the aggregating ClusterRole
 */
export const aggregateRules = (
  name: string,
  { clusterRoleSelectors = [] }: AggregationRule,
  clusterRoles: Iterable<Role>,
): readonly PolicyRule[] => {
  const others = [...clusterRoles]
    .filter(({ metadata }) => metadata.name !== name)
    .sort((a, b) => Number(a.metadata.name > b.metadata.name) - Number(a.metadata.name < b.metadata.name));
  const rules = new Map<string, PolicyRule>();
  for (const selector of clusterRoleSelectors) {
    for (const rule of others
      .filter(({ metadata }) => isSelected(selector, metadata.labels ?? {}))
      .flatMap((role) => role.rules ?? [])) {
      const key = keyOf(rule);
      if (!rules.has(key)) {
        rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
};
