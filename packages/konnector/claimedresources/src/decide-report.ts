import type { HeldDeletions } from '@hawser/controller';
import { isUnreported } from '@hawser/konnector-connection';

import type { ReadClaims } from './claim.js';
import type { ObjectClaimProblem } from './claim-sync.js';
import type { BindingClaimProblem } from './claims-in-sync.js';
import { heldDeletionsProblem } from './missing-originals.js';

/** A sync that serves claims of the binding. */
export interface SyncObserved {
  /** Problems that keep whole caches from filling. */
  readonly troubles: readonly BindingClaimProblem[];
  /** Problems of objects that the binding's claims select. */
  readonly problems: readonly ObjectClaimProblem[];
  /** Everything was processed. */
  readonly surveyed: boolean;
}

/** Input for the report on the claims of one binding. */
export interface ClaimsObserved {
  readonly syncs: readonly SyncObserved[];
  /** Held deletions of the connection. */
  readonly held: { readonly deletions: HeldDeletions; readonly perMinute: number } | undefined;
  /** Why its claims are not served at all. */
  readonly refusal: BindingClaimProblem | undefined;
  readonly reading: ReadClaims | undefined;
}

export interface ReportContent {
  /** For the condition. */
  readonly problems: readonly BindingClaimProblem[];
  /** For Events on the binding: problems without an Event of their own, each message once. */
  readonly events: readonly BindingClaimProblem[];
}

/**
 * Decides the report on a binding's claims. Undefined: absence of problems is known only after all objects were
 * processed; until then the former report stays. Pure.
 */
export function decideReport({ syncs, held, refusal, reading }: ClaimsObserved): ReportContent | undefined {
  const general: readonly BindingClaimProblem[] = [
    ...(held === undefined || syncs.length === 0 ? [] : [heldDeletionsProblem(held.deletions, held.perMinute)]),
    ...(refusal === undefined ? [] : [refusal]),
    ...(reading?.problems ?? []),
    ...syncs.flatMap(({ troubles }) => troubles),
  ];
  const objects = syncs.flatMap(({ problems }) => problems);
  const problems = [...general, ...objects];
  const isUnserved = syncs.length === 0 && (reading?.claims ?? []).length > 0;
  if (problems.length === 0 && (isUnserved || syncs.some(({ surveyed }) => !surveyed))) return undefined;
  // Objects of the consumer have their own Events. Identical problems appear once.
  const events = [
    ...new Map(
      [...general, ...objects.filter(({ hasEvent }) => !hasEvent)].map((problem) => [problem.message, problem]),
    ).values(),
  ];
  return { problems, events };
}

/** Selects the problems not reported yet: neither `reported` last, nor in the condition's former `message`. Pure. */
export function unreportedProblems(
  problems: readonly BindingClaimProblem[],
  reported: ReadonlySet<string>,
  message: string,
): readonly BindingClaimProblem[] {
  return problems.filter((problem) => isUnreported(problem.message, reported, message));
}
