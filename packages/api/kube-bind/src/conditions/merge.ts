import { compareBytes } from '@hawser/json';
import type { Condition } from '../kinds/condition.js';
import { isBefore, type NewCondition } from './condition-list.js';

/** The subject of a condition, for messages. */
export interface ConditionSource {
  readonly kind: string;
  readonly name: string;
}

/** A condition and its source object. */
export interface SourcedCondition {
  readonly condition: NewCondition;
  readonly source: ConditionSource;
}

export interface MergeOptions {
  /** Types in order of preference. The first that occurs in the decisive group gives reason and message. */
  readonly types?: readonly string[] | undefined;
  /** Say `n of total completed` instead of a message. */
  readonly stepCounterTotal?: number | undefined;
  /** Append ` @ <Kind>/<name>` to the reason. */
  readonly sourceRef?: boolean | undefined;
}

/** Conditions of equal status and severity. */
export interface ConditionGroup {
  readonly status: Condition['status'];
  readonly severity: string;
  readonly members: readonly SourcedCondition[];
}

/** Priority in a merge, lowest first (spec/kube-bind-api.md §9.4). */
function priority(status: string, severity: string): number {
  switch (status) {
    case 'False':
      switch (severity) {
        case 'Error':
          return 0;
        case 'Warning':
          return 1;
        case 'Info':
          return 2;
        default:
          return 99;
      }
    case 'True':
      return 3;
    case 'Unknown':
      return 4;
    default:
      return 99;
  }
}

/** Groups in order of priority, each group sorted: by type, then by the name of the source. */
export function groupConditions(conditions: readonly (SourcedCondition | undefined)[]): readonly ConditionGroup[] {
  const groups = new Map<
    string,
    { readonly status: Condition['status']; readonly severity: string; readonly members: SourcedCondition[] }
  >();
  for (const sourced of conditions) {
    if (sourced === undefined) continue;
    const { status, severity = '' } = sourced.condition;
    const key = `${status}/${severity}`;
    const group = groups.get(key) ?? { status, severity, members: [] };
    group.members.push(sourced);
    groups.set(key, group);
  }
  const inOrder = [...groups.values()].sort((a, b) => priority(a.status, a.severity) - priority(b.status, b.severity));
  inOrder[0]?.members.sort(bySourceWithinType);
  return inOrder;
}

/**
 * Merges many conditions into one of `targetType`; undefined for none. The group of highest priority decides: Error,
 * Warning, Info, True, Unknown, then everything else, such as a False without severity.
 */
export function mergeConditions(
  conditions: readonly (SourcedCondition | undefined)[],
  targetType: string,
  options: MergeOptions = {},
): NewCondition | undefined {
  const groups = groupConditions(conditions);
  const top = groups[0];
  if (top === undefined) return undefined;
  if (top.status === 'True') return { type: targetType, status: 'True' };
  const first = firstOf(top, options.types ?? []);
  const reason = first === undefined ? '' : localizedReason(first, options.sourceRef === true);
  const message =
    options.stepCounterTotal === undefined
      ? (first?.condition.message ?? '')
      : stepCounterMessage(groups, options.stepCounterTotal);
  return {
    type: targetType,
    status: top.status,
    ...(top.status === 'False' ? { severity: top.severity as NonNullable<Condition['severity']> } : {}),
    reason,
    message,
  };
}

/** `n of total completed`: n counts conditions that are True. */
export function stepCounterMessage(groups: readonly ConditionGroup[], total: number): string {
  const done = groups.find((group) => group.status === 'True' && group.severity === '')?.members.length ?? 0;
  return `${done} of ${total} completed`;
}

/** The condition of the group that gives reason and message. */
export function firstOf(group: ConditionGroup, types: readonly string[]): SourcedCondition | undefined {
  if (group.members.length > 1) {
    for (const type of types) {
      const match = group.members.find((member) => member.condition.type === type);
      if (match !== undefined) return match;
    }
  }
  return group.members[0];
}

function localizedReason({ condition, source }: SourcedCondition, withSource: boolean): string {
  const reason = condition.reason ?? '';
  return withSource ? localizeReason(reason, source) : reason;
}

/** `reason @ Kind/name`, unless the reason already names its source. */
export function localizeReason(reason: string, source: ConditionSource): string {
  return reason.includes('@') ? reason : `${reason} @ ${source.kind}/${source.name}`;
}

function bySourceWithinType(a: SourcedCondition, b: SourcedCondition): number {
  if (a.condition.type === b.condition.type) return compareBytes(a.source.name, b.source.name);
  return isBefore(a.condition, b.condition) ? -1 : 1;
}
