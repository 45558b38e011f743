import { type Problem, type Result, done } from '@hawser/controller';

import type { Decision } from './decision.js';

/** Like {@link done}, with nothing to do before a change; compared by identity. */
export const inStep: Result = { kind: 'done' };

/** The state after a look at an object. */
export interface Looked {
  readonly decision: Decision;
  /** For its related objects. */
  readonly relatedAfterMs: number | undefined;
  /** A reported problem that still stands although nothing can be done now. */
  readonly standing: { readonly problem: Problem; readonly forMs: number } | undefined;
  /** It has related objects, or more than its versions is remembered. */
  readonly hasMore: boolean;
}

/**
 * When to look at an object again without an event. {@link inStep}: its versions alone show whether there is work.
 * Pure.
 */
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

/** Time that the deletion of an object waits for related objects that cannot be found. */
const UNRESOLVED_GRACE_MS = 60_000;

/** `since`: when they were first missing. */
export function isOverdue(since: number | undefined, now: number): boolean {
  return since !== undefined && now - since >= UNRESOLVED_GRACE_MS;
}

/**
 * Remaining wait of the deletion. Objects that became overdue during a look are left, and reported, at the next one.
 */
export function graceLeftMs(since: number | undefined, wasOverdue: boolean, now: number): number {
  return since === undefined || wasOverdue ? 0 : Math.max(1, since + UNRESOLVED_GRACE_MS - now);
}
