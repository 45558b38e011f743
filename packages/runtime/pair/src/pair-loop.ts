import { isConflict } from '@hawser/client';
import type { Failures, Problem } from '@hawser/controller';
import { noteInSpan } from '@hawser/telemetry';

import type { PairRole, PairTypes, TakenStep } from './role.js';

/** How a run of a pair ended. */
export type RunOutcome<T extends PairTypes> =
  /** No step is due; steps left in the decision can wait. */
  | { readonly kind: 'settled'; readonly observed: T['observed']; readonly decision: T['decision'] }
  | Parked<T>
  /** Wait for an event before the next step. */
  | { readonly kind: 'waiting'; readonly decision: T['decision'] }
  /** The object was deleted during a write to it. */
  | { readonly kind: 'gone'; readonly observed: T['observed']; readonly action: T['action']; readonly error: unknown }
  | {
      readonly kind: 'failed';
      readonly observed: T['observed'];
      readonly action: T['action'];
      readonly error: unknown;
    };

/** The next step is parked: it was refused, or it has no effect, which is the `problem`. */
interface Parked<T extends PairTypes> {
  readonly kind: 'parked';
  readonly observed: T['observed'];
  readonly decision: T['decision'];
  /** Milliseconds until the next look: the step is due, or the decision wants an earlier look. */
  readonly afterMs: number;
  readonly problem: Problem | undefined;
}

/** The part of a role that the loop uses: without its words for people. */
export type LoopRole<T extends PairTypes> = Omit<PairRole<T>, 'words' | 'settled'> & {
  readonly words: Pick<PairRole<T>['words'], 'undone' | 'stalled'>;
};

export interface PairLoopOptions<T extends PairTypes> {
  readonly failures: Failures<T['action']>;
  /** No step is due. Called before anything else can happen: the memory of the pair matches this look. */
  readonly settled?: ((key: string, observed: T['observed'], decision: T['decision']) => void) | undefined;
  /** A step has no effect: called once for each repetition. */
  readonly undone?: ((key: string, observed: T['observed'], problem: Problem) => void) | undefined;
  /** Called for each step that the server accepted. */
  readonly taken?: ((key: string, step: TakenStep<T>) => void) | undefined;
}

/** More steps than any sequence needs: a pair that is not settled then is parked and reported. */
const MAX_STEPS = 12;
const MAX_CONFLICTS = 3;

/** Runs the steps of a pair, one after the other, until none is left: observe → decide → act. */
export class PairLoop<T extends PairTypes> {
  readonly #role: LoopRole<T>;
  readonly #options: PairLoopOptions<T>;

  constructor(role: LoopRole<T>, options: PairLoopOptions<T>) {
    this.#role = role;
    this.#options = options;
  }

  /** `inBackground`: also take deferrable steps. Rejects only if looking at the pair fails. */
  async run(key: string, inBackground: boolean, signal: AbortSignal): Promise<RunOutcome<T>> {
    const role = this.#role;
    let learned = role.nothingLearned;
    let conflicts = 0;
    let before: T['action'] | undefined;
    for (let step = 0; ; step++) {
      const observed = role.observe(key, learned);
      const decision = role.decide(observed);
      const wanted = decision.actions.find(
        (candidate) => inBackground || role.steps.isBackground?.(candidate) !== true,
      );
      noteInSpan('@hawser/pair', 'decided', () => ({
        verdict: decision.verdict.kind,
        action: wanted?.type ?? 'none',
      }));
      if (wanted === undefined) {
        this.#options.settled?.(key, observed, decision);
        return { kind: 'settled', observed, decision };
      }
      const next = await this.#next(key, observed, decision, wanted, before, signal);
      if (next.kind === 'parked') return next;
      const { action } = next;
      if (step === MAX_STEPS) return this.#stalled(key, observed, decision, action);
      try {
        const result = await role.act(action, key, signal);
        const taken: TakenStep<T> = { observed, decision, action, result };
        this.#options.failures.succeeded(key, action);
        this.#options.taken?.(key, taken);
        before = action;
        learned = role.learn(key, taken, learned);
        if (result.wait === true) return { kind: 'waiting', decision };
      } catch (error) {
        if (role.isGone(error, action, key)) return { kind: 'gone', observed, action, error };
        if (!isConflict(error) || ++conflicts > MAX_CONFLICTS) return { kind: 'failed', observed, action, error };
        try {
          learned = await role.readAgain(key, action, learned, signal);
        } catch (unread) {
          return { kind: 'failed', observed, action, error: unread };
        }
      }
    }
  }

  /** The next step, or another one that need not wait while that is parked. */
  async #next(
    key: string,
    observed: T['observed'],
    decision: T['decision'],
    wanted: T['action'],
    before: T['action'] | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'take'; readonly action: T['action'] } | Parked<T>> {
    let action = wanted;
    let afterMs = await this.#parkedMs(key, observed, action, before, signal);
    const other = afterMs > 0 ? this.#role.steps.besides?.(action, decision) : undefined;
    if (other !== undefined) {
      action = other;
      afterMs = await this.#parkedMs(key, observed, action, before, signal);
    }
    if (afterMs <= 0) return { kind: 'take', action };
    return parked(observed, decision, afterMs, this.#options.failures.undone(key, action)?.problem);
  }

  /** Milliseconds for which a step is parked: it was refused, or it was repeated without effect, which is reported. */
  async #parkedMs(
    key: string,
    observed: T['observed'],
    action: T['action'],
    before: T['action'] | undefined,
    signal: AbortSignal,
  ): Promise<number> {
    const { steps, words } = this.#role;
    const { failures } = this.#options;
    const undone = failures.undone(key, action);
    if (undone !== undefined && undone.problem === undefined) {
      const atOnce = before !== undefined && steps.effortOf(before) === steps.effortOf(action);
      const problem = await words.undone(key, observed, action, atOnce, signal);
      failures.reportUndone(key, action, problem, !atOnce);
      this.#options.undone?.(key, observed, problem);
    }
    return Math.max(failures.waits(key, action), steps.waitMs?.(key, action) ?? 0);
  }

  #stalled(key: string, observed: T['observed'], decision: T['decision'], action: T['action']): RunOutcome<T> {
    const { failures } = this.#options;
    const problem = this.#role.words.stalled(action);
    failures.stalled(key, action, problem);
    this.#options.undone?.(key, observed, problem);
    return parked(observed, decision, Math.max(1, failures.waits(key, action)), problem);
  }
}

/** The pair is looked at when its decision wants it, however long the step is parked. */
function parked<T extends PairTypes>(
  observed: T['observed'],
  decision: T['decision'],
  parkedMs: number,
  problem: Problem | undefined,
): Parked<T> {
  return {
    kind: 'parked',
    observed,
    decision,
    afterMs: Math.min(parkedMs, Math.max(1, decision.requeueAfterMs ?? Infinity)),
    problem,
  };
}
