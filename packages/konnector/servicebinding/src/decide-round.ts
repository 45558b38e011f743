import { type Decision as Decided, type Result, done } from '@hawser/controller';
import type { APIServiceBinding } from '@hawser/kube-bind';
import { isReported } from './commit.js';
import { type WantedConditions, concludeWithoutExport } from './conclude.js';
import { type Bind, concludeBinding, nextLook } from './conclude-binding.js';
import { type StatusFields, decide } from './decide.js';
import type { Observed } from './observed.js';
import { type Settled, isSettled, resultOf } from './resource-action.js';

/** Observation of one binding. Closed. */
export type Round =
  /** It is gone, or another connection serves it. */
  | { readonly kind: 'notServed' }
  /** It may not be written yet, or its inputs change all the time. */
  | { readonly kind: 'waiting'; readonly waitMs: number }
  /**
   * `watched`: events report changed schemas. `undoneMs`: delay before a status that the API server drops is written
   * again.
   */
  | { readonly kind: 'served'; readonly observed: Observed; readonly watched: boolean; readonly undoneMs: number };

export type Action =
  /** The binding has no usable export. */
  | {
      readonly type: 'report';
      readonly binding: APIServiceBinding;
      readonly fields: StatusFields;
      readonly conditions: WantedConditions;
    }
  /**
   * Writes the CRDs, and their results into the binding: computed once, so no condition takes an intermediate value.
   */
  | { readonly type: 'bind'; readonly observed: Observed; readonly decision: Bind; readonly watched: boolean };

/** State of a binding's export. */
export type Export = 'found' | 'missing' | 'notServed';

export interface RoundDecision extends Decided<Action> {
  /** Absent: unchanged. */
  readonly export?: Export | undefined;
  /** Results of actions without a write. */
  readonly settled?: { readonly observed: Observed; readonly actions: readonly Settled[] } | undefined;
}

/** Decides about one binding. Pure. `recordsConsent`: record the consent. */
export function decideRound(round: Round, recordsConsent: boolean): RoundDecision {
  switch (round.kind) {
    case 'notServed':
      return { actions: [], export: 'notServed' };
    case 'waiting':
      return { actions: [], requeueAfterMs: round.waitMs, requeuePriority: 'normal' };
    case 'served': {
      const { observed, watched, undoneMs } = round;
      const { binding } = observed;
      const decision = decide(observed);
      switch (decision.kind) {
        case 'leave':
          return { actions: [] };
        case 'noExport': {
          const conditions = concludeWithoutExport(decision.problem);
          if (isReported(binding, decision.status, conditions, observed.time))
            return { actions: [], export: 'missing' };
          if (undoneMs > 0) return { actions: [], requeueAfterMs: undoneMs, export: 'missing' };
          const action = { type: 'report', binding, fields: decision.status, conditions } as const;
          return { actions: [action], ends: done, export: 'missing' };
        }
        case 'bind':
          return (
            inStep(round, decision, recordsConsent) ?? {
              actions: [{ type: 'bind', observed, decision, watched }],
              export: 'found',
            }
          );
      }
    }
  }
}

/** Undefined: a write or a retry is due. */
function inStep(
  { observed, watched, undoneMs }: Extract<Round, { readonly kind: 'served' }>,
  decision: Bind,
  recordsConsent: boolean,
): RoundDecision | undefined {
  if (recordsConsent && decision.consent !== undefined) return undefined;
  const actions = decision.resources.filter(isSettled);
  if (actions.length < decision.resources.length) return undefined;
  const results = actions.map(resultOf);
  const { binding, time } = observed;
  const look = lookOf(nextLook(results, watched));
  const settled = { actions: [], ...look, export: 'found', settled: { observed, actions } } as const;
  if (isReported(binding, decision.status, concludeBinding(binding, decision, results), time)) return settled;
  return undoneMs === 0
    ? undefined
    : { ...settled, requeueAfterMs: Math.min(undoneMs, look.requeueAfterMs ?? undoneMs) };
}

function lookOf(next: Result): Pick<RoundDecision, 'requeueAfterMs' | 'requeuePriority'> {
  return next.kind === 'requeue' ? { requeueAfterMs: next.afterMs, requeuePriority: next.priority } : {};
}
