import { type ResourceProblem, resourceProblemText } from './objects-in-sync.js';
import type { SyncPlan } from './plan-syncs.js';

/** What keeps whole resources of an export from being synced. */
export interface Blocked {
  readonly problems: readonly ResourceProblem[];
  /** Since when one of them lacks a place for copies, in milliseconds; undefined: all have one. */
  readonly since: number | undefined;
}

export interface BlockedDecision {
  readonly blocked: Blocked;
  /** Whether something else is to be said than before. */
  readonly isNews: boolean;
  /** Resources of which the provider's scope is to be asked again. */
  readonly misplaced: readonly string[];
  /** When to look again although nothing happens; undefined: no need. */
  readonly retryMs: number | undefined;
}

const PLACE_RETRY_MS = 15_000;
const PLACE_RETRY_CAP_MS = 600_000;

/** The resources that cannot be synced, by the plans. Pure. */
export function decideBlocked(
  before: Blocked | undefined,
  plans: readonly SyncPlan[],
  nowMs: number,
  placeRetryMs = PLACE_RETRY_MS,
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
    // As long again as it has lasted: events in between do not put the next look off.
    retryMs: since === undefined ? undefined : Math.min(PLACE_RETRY_CAP_MS, Math.max(placeRetryMs, nowMs - since)),
  };
}

/** What the provider is told of the resources that have no place for copies. */
export function noPlaceText(blocked: Blocked | undefined): string | undefined {
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
