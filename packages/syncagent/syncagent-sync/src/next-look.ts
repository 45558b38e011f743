import { type Problem, type Result, done } from '@hawser/controller';

import type { Decision } from './decision.js';

/** Like {@link done}, and nothing is left to do before something changes: told apart by identity. */
export const inStep: Result = { kind: 'done' };

/** What is known after a look at an object. */
export interface Looked {
  readonly decision: Decision;
  /** Of its related objects. */
  readonly relatedAfterMs: number | undefined;
  /** What was told and still stands, although nothing can be done about it at present. */
  readonly standing: { readonly problem: Problem; readonly forMs: number } | undefined;
  /** It has related objects, or more is remembered of it than its versions. */
  readonly hasMore: boolean;
}

/** When an object is looked at again by itself. {@link inStep}: its versions alone tell whether anything is to be done. Pure. */
export function decideNextLook({ decision, relatedAfterMs, standing, hasMore }: Looked): Result {
  const afterMs = smallest(decision.requeueAfterMs, relatedAfterMs);
  if (standing !== undefined) return resultOf(smallest(afterMs, Math.max(1, standing.forMs)));
  if (decision.verdict.kind === 'inStep' && decision.requeueAfterMs === undefined && !hasMore) return inStep;
  return resultOf(afterMs);
}

export function resultOf(afterMs: number | undefined): Result {
  return afterMs === undefined ? done : { kind: 'requeue', afterMs };
}

export function smallest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

/** How long the deletion of an object waits for related objects that cannot be found. */
const UNRESOLVED_GRACE_MS = 60_000;

/** `since`: when they could not be found for the first time. */
export function isOverdue(since: number | undefined, now: number): boolean {
  return since !== undefined && now - since >= UNRESOLVED_GRACE_MS;
}

/** How much longer the deletion waits. What became overdue during a look is left, and told, with the next one. */
export function graceLeftMs(since: number | undefined, wasOverdue: boolean, now: number): number {
  return since === undefined || wasOverdue ? 0 : Math.max(1, since + UNRESOLVED_GRACE_MS - now);
}
