import type { Actor, Problem } from '@hawser/controller';

/** One step towards a pair being in step. Each role has a closed union of them; `type` names a step in logs and metrics. */
export interface Step {
  readonly type: string;
}

/**
 * How a pair stands once the steps of its decision, if any, are taken. One vocabulary for all roles; `Waiting` and `Reason` are a role's own words.
 */
export type PairVerdict<Waiting extends string = string, Reason extends string = string> =
  /** Neither side has the object. */
  | { readonly kind: 'absent' }
  /** A filter or a claim leaves the object out: it stays as it is, on both sides. */
  | { readonly kind: 'notSelected' }
  | { readonly kind: 'inStep' }
  /** In step except for content that the server of the copy changes whenever it is written. */
  | { readonly kind: 'rewritten'; readonly message: string }
  /** A copy whose original is missing. Kept; `mayGo`: only for now, it waits to be deleted. */
  | { readonly kind: 'orphan'; readonly message: string; readonly mayGo?: true }
  /** Something is under way; `overdue`: for so long that a person should look. */
  | {
      readonly kind: 'progressing';
      readonly waitingFor: Waiting;
      readonly overdue?: (Problem & { readonly reason: Reason }) | undefined;
    }
  /** Stays so until the `actor` acts. */
  | { readonly kind: 'held'; readonly reason: Reason; readonly message: string; readonly actor: Actor };

/** What is to be done about a pair, and how it stands then. */
export interface PairDecision<Action extends Step, Verdict extends PairVerdict = PairVerdict> {
  /** In this order. The pair is observed again after the first one that is taken. */
  readonly actions: readonly Action[];
  /** What a pause or a policy prevents. Shown to people, never carried out. */
  readonly withheld?: readonly Action[] | undefined;
  readonly verdict: Verdict;
  /** Look again after this many milliseconds although nothing happened. */
  readonly requeueAfterMs?: number | undefined;
}

/** What taking a step taught, beyond what the caches took in. */
export interface StepResult {
  /** Nothing more can be done before an event. */
  readonly wait?: boolean | undefined;
}
