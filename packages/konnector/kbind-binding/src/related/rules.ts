import type { KubeObject } from '@hawser/client';
import type { Binding, Direction, RelatedResource } from '@hawser/core-kbind';
import { isSelected, type LabelSelector } from '@hawser/rbac';
import { labelRules } from '@hawser/selector';

/** Resources that rules can name (spec/kbind-v2.md §3.2). */
export const relatedKinds = { secrets: 'Secret', configmaps: 'ConfigMap' } as const;
export type RelatedKind = keyof typeof relatedKinds;

export type Side = 'consumer' | 'provider';

export const otherSide = (side: Side): Side => (side === 'consumer' ? 'provider' : 'consumer');

/** The side of a rule's originals. */
export const sourceOf = (direction: Direction): Side => (direction === 'FromConsumer' ? 'consumer' : 'provider');

/** A valid rule. */
export interface Rule {
  readonly resource: RelatedKind;
  readonly from: Side;
  /** Absent: any labels. */
  readonly labels?: LabelSelector | undefined;
  /** Absent: any name. */
  readonly names?: readonly string[] | undefined;
}

/** The rules of a binding for one resource. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  /**
   * Sides with a rule that is not understood. Its former selection is unknown, so no copy is collected for lack of a
   * rule.
   */
  readonly unclear: readonly Side[];
}

/** All rules of a binding. */
export interface ReadRules {
  readonly sets: ReadonlyMap<RelatedKind, RuleSet>;
  /** Refused rules, as text. */
  readonly problems: readonly string[];
}

export const noRules: RuleSet = { rules: [], unclear: [] };

/** Reads `spec.relatedResources`. A rule that is not understood selects nothing. Pure. */
export function readRules({ spec: { relatedResources = [] } }: Pick<Binding, 'spec'>): ReadRules {
  const sets = new Map<RelatedKind, RuleSet>();
  const problems: string[] = [];
  relatedResources.forEach((asked, index) => {
    const { resource, direction } = asked;
    const set = sets.get(resource) ?? noRules;
    const from = sourceOf(direction);
    const rule = readRule(asked);
    if (typeof rule === 'string') {
      problems.push(`spec.relatedResources[${index}] ${rule}`);
      sets.set(resource, { ...set, unclear: [...set.unclear, from] });
    } else sets.set(resource, { ...set, rules: [...set.rules, rule] });
  });
  return { sets, problems };
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

function readRule({ resource, direction, group, selector = {} }: RelatedResource): Rule | string {
  if (group !== '')
    return `names API group "${group}": related resources are of the core group. Leave the group empty.`;
  const { names = [], labelSelector } = selector;
  const rule: Rule = { resource, from: sourceOf(direction), names: names.length === 0 ? undefined : names };
  if (labelSelector === undefined) return rule;
  const { matchLabels, matchExpressions = [] } = labelSelector;
  const requirements = matchExpressions.flatMap(({ key, operator, values }) => {
    const known = OPERATORS.find((one) => one === operator);
    return known === undefined ? [] : [{ key, operator: known, ...(values === undefined ? {} : { values }) }];
  });
  if (requirements.length < matchExpressions.length)
    return `has a label selector with an operator other than ${OPERATORS.join(', ')}.`;
  const labels = { ...(matchLabels === undefined ? {} : { matchLabels }), matchExpressions: requirements };
  const mistake = mistakeIn(labels);
  return mistake === undefined ? { ...rule, labels } : `has a label selector that is no valid one: ${mistake}.`;
}

/**
 * The mistake in a selector that passes the CRD but that Kubernetes rejects (apimachinery
 * `metav1.LabelSelectorAsSelector`). `NotIn` without values would select everything.
 */
function mistakeIn({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string | undefined {
  for (const { key, operator, values = [] } of matchExpressions) {
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues && values.length === 0) return `operator ${operator} of key "${key}" needs values`;
    if (!takesValues && values.length > 0) return `operator ${operator} of key "${key}" takes no values`;
  }
  const asked = matchExpressions.map(({ key, values = [] }): readonly [string, readonly string[]] => [key, values]);
  const all = [...Object.entries(matchLabels).map(([key, value]) => [key, [value]] as const), ...asked];
  for (const [key, values] of all) {
    if (
      !isLabel(() => {
        labelRules.key(key);
      })
    )
      return `no label can have the key "${key}"`;
    const wrong = values.find(
      (value) =>
        !isLabel(() => {
          labelRules.value(key, value, 'in', 0);
        }),
    );
    if (wrong !== undefined) return `no label can have the value "${wrong}"`;
  }
  return undefined;
}

function isLabel(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Each cluster makes these in every namespace. */
const OF_EVERY_NAMESPACE: ReadonlySet<string> = new Set(['kube-root-ca.crt', 'openshift-service-ca.crt']);

/** Whether a rule selects the object on `side`: by labels and by name, if the rule has both (spec/kbind-v2.md §19). */
export function selects({ rules }: RuleSet, side: Side, { metadata: { name, labels = {} } }: KubeObject): boolean {
  return rules.some(
    (rule) =>
      rule.from === side &&
      !(rule.resource === 'configmaps' && OF_EVERY_NAMESPACE.has(name)) &&
      (rule.names === undefined || rule.names.includes(name)) &&
      (rule.labels === undefined || isSelected(rule.labels, labels)),
  );
}
