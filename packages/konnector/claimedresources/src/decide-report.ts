import type { HeldDeletions } from '@hawser/controller';
import { isUntold } from '@hawser/konnector-connection';

import type { ReadClaims } from './claim.js';
import type { ObjectClaimProblem } from './claim-sync.js';
import type { BindingClaimProblem } from './claims-in-sync.js';
import { heldDeletionsProblem } from './missing-originals.js';

/** A sync that serves claims of the binding. */
export interface SyncObserved {
  /** What keeps whole caches from being filled. */
  readonly troubles: readonly BindingClaimProblem[];
  /** Of objects that claims of the binding select. */
  readonly problems: readonly ObjectClaimProblem[];
  /** Everything was looked at. */
  readonly surveyed: boolean;
}

/** Everything that says what is to be told of the claims of one binding. */
export interface ClaimsObserved {
  readonly syncs: readonly SyncObserved[];
  /** Deletions of the connection that wait. */
  readonly held: { readonly deletions: HeldDeletions; readonly perMinute: number } | undefined;
  /** Why its claims are not served at all. */
  readonly refusal: BindingClaimProblem | undefined;
  readonly reading: ReadClaims | undefined;
}

export interface ClaimsTold {
  /** For the condition. */
  readonly problems: readonly BindingClaimProblem[];
  /** For Events of the binding: what has none of its own, each message once. */
  readonly events: readonly BindingClaimProblem[];
}

/** What is to be told of the claims of a binding. Undefined: that there is no problem is known only once everything was looked at; until then what was said before stands. Pure. */
export function decideReport({ syncs, held, refusal, reading }: ClaimsObserved): ClaimsTold | undefined {
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
  // Objects of the consumer have Events of their own.
  // What is the same for several is said once.
  const events = [
    ...new Map(
      [...general, ...objects.filter(({ hasEvent }) => !hasEvent)].map((problem) => [problem.message, problem]),
    ).values(),
  ];
  return { problems, events };
}

/** The problems not reported yet: neither by what was `told` last, nor by the `message` of the condition as it was. Pure. */
export function untoldProblems(
  problems: readonly BindingClaimProblem[],
  told: ReadonlySet<string>,
  message: string,
): readonly BindingClaimProblem[] {
  return problems.filter((problem) => isUntold(problem.message, told, message));
}
