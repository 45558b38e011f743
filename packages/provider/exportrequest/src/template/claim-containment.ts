import { equal } from '@hawser/json';
import type { ClaimSelector, LabelSelector, SelectorReference } from '@hawser/kube-bind';

/**
 * Whether `offered` selects everything that `wanted` selects, for any objects. Decides by the text of the selectors; in
 * doubt `false`: it misses narrower selectors in a different form.
 */
export function isWithinSelector(wanted: ClaimSelector, offered: ClaimSelector): boolean {
  if (selectsAll(offered)) return true;
  return (
    labelsWithin(wanted.labelSelector, offered.labelSelector) &&
    namesWithin(wanted, offered) &&
    referencesWithin(wanted, offered)
  );
}

/** An empty label selector selects every object; a selector without any part selects none (spec/konnector.md §10). */
function selectsAll({ labelSelector }: ClaimSelector): boolean {
  return labelSelector !== undefined && requirements(labelSelector).length === 0;
}

/** Requirements are AND-ed: all offered ones plus more select no more. */
function labelsWithin(wanted: LabelSelector | undefined, offered: LabelSelector | undefined): boolean {
  if (wanted === undefined) return true;
  if (offered === undefined) return false;
  const has = requirements(wanted);
  return requirements(offered).every((requirement) => has.some((one) => equal(one, requirement)));
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

function requirements({ matchLabels, matchExpressions }: LabelSelector): readonly Requirement[] {
  return [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(matchExpressions ?? []).map(({ key, operator, values }) => ({
      key,
      operator,
      values: [...new Set(values)].sort(),
    })),
  ];
}

function namesWithin(wanted: ClaimSelector, offered: ClaimSelector): boolean {
  return (wanted.namedResources ?? []).every(({ name, namespace = '' }) =>
    (offered.namedResources ?? []).some(
      (one) => one.name === name && ((one.namespace ?? '') === '' || one.namespace === namespace),
    ),
  );
}

function referencesWithin(wanted: ClaimSelector, offered: ClaimSelector): boolean {
  const has = (offered.references ?? []).map(normalized);
  return (wanted.references ?? []).every((reference) => has.some((one) => equal(one, normalized(reference))));
}

function normalized({ group, resource, versions, jsonPath }: SelectorReference): object {
  return {
    group: group ?? '',
    resource,
    versions: [...(versions ?? [])].sort(),
    name: jsonPath.name ?? '',
    namespace: jsonPath.namespace ?? '',
  };
}
