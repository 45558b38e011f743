import type { AppClusterBinding } from '@hawser/klutch';
import {
  type Conditions,
  type Instant,
  type NewCondition,
  removeCondition,
  setCondition,
  setSummary,
} from '@hawser/kube-bind';
import type { ConditionType } from './problem.js';

export interface Report {
  readonly conditions: readonly NewCondition[];
  readonly without: readonly ConditionType[];
}

/** The conditions of an AppClusterBinding with these added; the same list if nothing changes. */
export function withReport(
  { status }: AppClusterBinding,
  { conditions, without }: Report,
  now: Instant,
): Conditions | undefined {
  const before = status?.conditions;
  let after: Conditions | undefined = before;
  for (const type of without) after = removeCondition(after, type);
  for (const condition of conditions) after = setCondition(after, condition, now);
  // A new order or summary alone is no change.
  return after === before || (before === undefined && after?.length === 0) ? before : setSummary(after, now);
}
