import { type ResourceProblem, resourceProblemText } from './objects-in-sync.js';
import type { SyncPlan } from './plan-syncs.js';

/** Reasons why whole resources of an export cannot be synced. */
export interface Blocked {
  readonly problems: readonly ResourceProblem[];
  /** Since when a resource lacks a place for copies, in milliseconds; undefined: all have one. */
  readonly since: number | undefined;
}

export interface BlockedDecision {
  readonly blocked: Blocked;
  /** Whether the report differs from the last one. */
  readonly isNews: boolean;
  /** Resources whose scope must be read from the provider again. */
  readonly misplaced: readonly string[];
  /** Milliseconds until the next look if no event comes; undefined: none needed. */
  readonly retryMs: number | undefined;
}

const SCOPE_RETRY_MS = 15_000;
const SCOPE_RETRY_CAP_MS = 600_000;

/** Selects the resources that cannot be synced, from the plans. Pure. */
export function decideBlocked(
  before: Blocked | undefined,
  plans: readonly SyncPlan[],
  nowMs: number,
  scopeRetryMs = SCOPE_RETRY_MS,
): BlockedDecision {
  const problems = plans.flatMap((plan): ResourceProblem[] =>
    plan.kind === 'stop' && plan.actor !== undefined
      ? [{ resource: plan.name, reason: plan.reason, message: plan.message, actor: plan.actor }]
      : [],
  );
  const misplaced = misplacedOf(problems).map(({ resource }) => resource);
  const since = misplaced.length === 0 ? undefined : (before?.since ?? nowMs);
  return {
    blocked: { problems, since },
    isNews: textOf(problems) !== textOf(before?.problems ?? []),
    misplaced,
    // The delay equals the time it has lasted: events in between do not postpone the next look.
    retryMs: since === undefined ? undefined : Math.min(SCOPE_RETRY_CAP_MS, Math.max(scopeRetryMs, nowMs - since)),
  };
}

/** Text for the provider about resources without a place for copies. */
export function scopeProblemText(blocked: Blocked | undefined): string | undefined {
  const misplaced = misplacedOf(blocked?.problems ?? []);
  return misplaced.length === 0
    ? undefined
    : misplaced.map(({ resource, message }) => `${resource}: ${message}`).join(' ');
}

function misplacedOf(problems: readonly ResourceProblem[]): readonly ResourceProblem[] {
  return problems.filter(({ reason }) => reason === 'NoPlaceForCopies');
}

function textOf(problems: readonly ResourceProblem[]): string {
  return problems.map(resourceProblemText).join('\n');
}
