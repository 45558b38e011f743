import type { Actor, Problem } from '@hawser/controller';

/**
 * One step that brings a pair closer to being in step. Each role has a closed union of them; `type` names a step in
 * logs and metrics.
 */
export interface Step {
  readonly type: string;
}

/**
 * State of a pair after the steps of its decision. One vocabulary for all roles; `Waiting` and `Reason` are a role's
 * own words.
 */
export type PairVerdict<Waiting extends string = string, Reason extends string = string> =
  /** Neither side has the object. */
  | { readonly kind: 'absent' }
  /** A filter or a claim excludes the object: it stays unchanged on both sides. */
  | { readonly kind: 'notSelected' }
  | { readonly kind: 'inStep' }
  /** In step except for content that the copy's server changes at each write. */
  | { readonly kind: 'rewritten'; readonly message: string }
  /** A copy without its original. Kept; `mayGo`: only for now, its deletion waits. */
  | { readonly kind: 'orphan'; readonly message: string; readonly mayGo?: true }
  /** Work is in progress; `overdue`: for so long that a person should look. */
  | {
      readonly kind: 'progressing';
      readonly waitingFor: Waiting;
      readonly overdue?: (Problem & { readonly reason: Reason }) | undefined;
    }
  /** Stays so until the `actor` acts. */
  | { readonly kind: 'held'; readonly reason: Reason; readonly message: string; readonly actor: Actor };

/** The steps for a pair, and its state after them. */
export interface PairDecision<Action extends Step, Verdict extends PairVerdict = PairVerdict> {
  /** In this order. The pair is observed again after the first step. */
  readonly actions: readonly Action[];
  /** Steps that a pause or a policy prevents. Shown to people, never carried out. */
  readonly withheld?: readonly Action[] | undefined;
  readonly verdict: Verdict;
  /** Look again after this many milliseconds without an event. */
  readonly requeueAfterMs?: number | undefined;
}

/** What a step taught, beyond what the caches took in. */
export interface StepResult {
  /** Wait for an event before the next step. */
  readonly wait?: boolean | undefined;
}
