import type { PolicyRule } from './policy-rule.js';

/** Splits a rule into rules of one group, one resource, one verb and one name each, or of one path and one verb. */
export const breakDown = (rule: PolicyRule): readonly PolicyRule[] => {
  const names: readonly Pick<PolicyRule, 'resourceNames'>[] =
    (rule.resourceNames ?? []).length === 0
      ? [{}]
      : (rule.resourceNames ?? []).map((name) => ({ resourceNames: [name] }));
  const onResources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((name) => ({ apiGroups: [group], resources: [resource], ...name, verbs: [verb] })),
      ),
    ),
  );
  const onPaths = (rule.nonResourceURLs ?? []).flatMap((path) =>
    rule.verbs.map((verb) => ({ nonResourceURLs: [path], verbs: [verb] })),
  );
  return [...onResources, ...onPaths];
};

const hasAll = (owned: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  owned.includes('*') || wanted.every((text) => owned.includes(text));

const resourceCovered = (owned: readonly string[], resource: string): boolean => {
  const slash = resource.indexOf('/');
  return owned.includes('*') || owned.includes(resource) || (slash >= 0 && owned.includes(`*${resource.slice(slash)}`));
};

/** Unlike in a request, `*` covers a wanted `/*` only because it is a prefix of everything. */
const pathCovered = (owned: readonly string[], path: string): boolean =>
  owned.some((pattern) => pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''))));

const namesCovered = (owned: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  owned.length === 0 || (wanted.length > 0 && wanted.every((name) => owned.includes(name)));

const ruleCovers = (owned: PolicyRule, wanted: PolicyRule): boolean =>
  hasAll(owned.verbs, wanted.verbs) &&
  hasAll(owned.apiGroups, wanted.apiGroups) &&
  (wanted.resources ?? []).every((resource) => resourceCovered(owned.resources ?? [], resource)) &&
  namesCovered(owned.resourceNames, wanted.resourceNames) &&
  (wanted.nonResourceURLs ?? []).every((path) => pathCovered(owned.nonResourceURLs ?? [], path));

/**
 * Lists the wanted rights that the owned rules do not cover, as single rights; empty if they cover all. As in an API
 * server, one rule alone must cover each right.
 */
export const uncovered = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] =>
  wanted.flatMap(breakDown).filter((rule) => !owned.some((each) => ruleCovers(each, rule)));

/** Whether the owned rules cover the wanted ones. */
export const covers = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean =>
  uncovered(owned, wanted).length === 0;

const keyOf = ({
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string | undefined =>
  apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0
    ? JSON.stringify([apiGroups, resources, resourceNames])
    : undefined;

/** Merges rules on the same single resource by joining their verbs. Keeps all other rules. */
export const compact = (rules: readonly PolicyRule[]): readonly PolicyRule[] => {
  const joined = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const key = keyOf(rule);
    if (key === undefined) {
      others.push(rule);
    } else {
      const known = joined.get(key);
      joined.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] });
    }
  }
  return [...others, ...joined.values()];
};

/** Differences between the rights of two sets of rules, whatever the shape of the rules. */
export interface RuleDifference {
  /** Wanted and missing. */
  readonly missing: readonly PolicyRule[];
  /** Present and not wanted. */
  readonly excess: readonly PolicyRule[];
}

/** Compares actual with wanted rights. Both results are empty exactly if each set of rules covers the other. */
export const differenceOf = (actual: readonly PolicyRule[], wanted: readonly PolicyRule[]): RuleDifference => ({
  missing: compact(uncovered(actual, wanted)),
  excess: compact(uncovered(wanted, actual)),
});
