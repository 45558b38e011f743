import type { Condition } from '../kinds/condition.js';
import type { Instant } from '../time.js';
import {
  type Conditions,
  getCondition,
  hasSameState,
  listed,
  removeCondition,
  setCondition,
} from './condition-list.js';

/** One difference between two lists. */
export type ConditionOperation =
  | { readonly kind: 'add'; readonly after: Condition }
  | { readonly kind: 'change'; readonly before: Condition; readonly after: Condition }
  | { readonly kind: 'remove'; readonly before: Condition };

/** Another writer changed the condition in between. */
export class ConditionConflictError extends Error {
  override readonly name = 'ConditionConflictError';
  readonly code = 'ConditionConflict';

  constructor(readonly conditionType: string) {
    super(`condition ${conditionType} was changed by another writer`);
  }
}

/** Operations that turn `before` into `after`; a changed time alone counts. */
export function diffConditions(
  before: Conditions | undefined,
  after: Conditions | undefined,
): readonly ConditionOperation[] {
  const operations: ConditionOperation[] = [];
  for (const condition of listed(after)) {
    const previous = getCondition(before, condition.type);
    if (previous === undefined) operations.push({ kind: 'add', after: condition });
    else if (!hasSameState(previous, condition) || previous.lastTransitionTime !== condition.lastTransitionTime) {
      operations.push({ kind: 'change', before: previous, after: condition });
    }
  }
  for (const condition of listed(before)) {
    if (getCondition(after, condition.type) === undefined) operations.push({ kind: 'remove', before: condition });
  }
  return operations;
}

export interface ApplyOptions {
  /** Types that only the caller writes: its state always wins. */
  readonly owned?: readonly string[] | undefined;
  /** Every type is owned. */
  readonly force?: boolean | undefined;
}

/**
 * Replays `operations` on the newest list (spec/kube-bind-api.md §9.8). Leaves the list alone where it already agrees.
 * @throws {ConditionConflictError} where another writer changed or removed a condition that is not owned.
 */
export function applyConditionPatch(
  latest: Conditions | undefined,
  operations: readonly ConditionOperation[],
  now: Instant,
  options: ApplyOptions = {},
): Conditions {
  let result = listed(latest);
  for (const operation of operations) {
    const type = operation.kind === 'remove' ? operation.before.type : operation.after.type;
    const owned = options.force === true || options.owned?.includes(type) === true;
    if (!owned && conflicts(operation, getCondition(result, type))) throw new ConditionConflictError(type);
    result = operation.kind === 'remove' ? removeCondition(result, type) : setCondition(result, operation.after, now);
  }
  return result;
}

function conflicts(operation: ConditionOperation, current: Condition | undefined): boolean {
  switch (operation.kind) {
    case 'add':
      return current !== undefined && !hasSameState(current, operation.after);
    case 'change':
      return (
        current === undefined || !(hasSameState(current, operation.before) || hasSameState(current, operation.after))
      );
    case 'remove':
      return current !== undefined && !hasSameState(current, operation.before);
  }
}
