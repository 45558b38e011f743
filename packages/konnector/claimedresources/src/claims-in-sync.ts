import {
  type APIServiceBindingStatus,
  conditionTypes,
  falseCondition,
  getCondition,
  setBindingSummary,
  setCondition,
  trueCondition,
} from '@hawser/kube-bind';

import type { ClaimReason } from './reasons.js';

/** Hawser's condition on the APIServiceBinding: whether its claims are served. */
export const CLAIMS_IN_SYNC = conditionTypes.claimsInSync;

/** A problem that keeps claims of a binding from being served; `object` if it is about one. */
export interface BindingClaimProblem {
  readonly reason: ClaimReason;
  readonly message: string;
  readonly object?: string | undefined;
}

const EXAMPLES = 3;
const MAX_MESSAGE = 1_000;

/**
 * Computes the binding's status from the problems of its claims. Severity is empty, so summaries ignore it: bound
 * objects do not wait for claims. A Go konnector keeps it. Without problems, now and before, it stays unchanged.
 */
export function claimsInSync(
  before: APIServiceBindingStatus,
  problems: readonly BindingClaimProblem[],
  now: number,
): APIServiceBindingStatus {
  const known = before.conditions ?? [];
  const [first] = problems;
  if (first === undefined && getCondition(known, CLAIMS_IN_SYNC)?.status !== 'False') return before;
  const condition =
    first === undefined
      ? trueCondition(CLAIMS_IN_SYNC)
      : falseCondition(CLAIMS_IN_SYNC, first.reason, '', messageOf(problems));
  return { ...before, conditions: [...setBindingSummary(setCondition(known, condition, now), now)] };
}

function messageOf(problems: readonly BindingClaimProblem[]): string {
  const general = problems.filter(({ object }) => object === undefined).map(({ message }) => message);
  const objects = problems
    .filter(({ object }) => object !== undefined)
    .map(({ object = '', reason, message }) => `${object}: ${reason}: ${message}`)
    .sort();
  const more = objects.length > EXAMPLES ? [`And ${objects.length - EXAMPLES} more.`] : [];
  const count =
    objects.length === 0
      ? []
      : [`${objects.length} claimed ${objects.length === 1 ? 'object is' : 'objects are'} not in step.`];
  const message = [...general, ...count, ...objects.slice(0, EXAMPLES), ...more].join(' ');
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}
