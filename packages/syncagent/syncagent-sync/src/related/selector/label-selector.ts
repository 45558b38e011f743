import type { LabelSelector } from '@hawser/syncagent-api';

/** One condition on labels. */
type Requirement =
  | { readonly key: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' };

export type Labels = Readonly<Record<string, string>>;

/** Whether labels match a selector. One without conditions matches all; one with an unknown operator matches none. */
export function labelMatcher(selector: LabelSelector): (labels: Labels) => boolean {
  const requirements = requirementsOf(selector);
  return (labels) => requirements.every((requirement) => requirement !== undefined && fulfils(labels, requirement));
}

/** A selector in the form for URLs of the API; undefined: no conditions. Deterministic. */
export function selectorText(selector: LabelSelector): string | undefined {
  const texts = requirementsOf(selector).map((requirement) => (requirement === undefined ? '' : textOf(requirement)));
  return texts.length === 0 ? undefined : texts.toSorted().join(',');
}

function requirementsOf({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): readonly (Requirement | undefined)[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]): Requirement => ({ key, operator: 'In', values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }): Requirement | undefined => {
      switch (operator) {
        case 'In':
        case 'NotIn':
          return { key, operator, values };
        case 'Exists':
        case 'DoesNotExist':
          return { key, operator };
        default:
          return undefined;
      }
    }),
  ];
}

function fulfils(labels: Labels, requirement: Requirement): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

function textOf(requirement: Requirement): string {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'In':
      return requirement.values.length === 1
        ? `${key}=${requirement.values[0] ?? ''}`
        : `${key} in (${requirement.values.toSorted().join(',')})`;
    case 'NotIn':
      return `${key} notin (${requirement.values.toSorted().join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
