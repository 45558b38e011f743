import { type ApiError, isAlreadyExists, isConflict, isNotFound, isRefusal } from '@hawser/client';
import { equal, isTooDeep } from '@hawser/json';
import type { EventMessage } from '@hawser/telemetry';
import type { ControllerContext } from './controller.js';
import { ControllerError } from './controller-error.js';
import { type Failed, type Result, done, park } from './queue.js';
import type { Action, ActionOf, Decision, Reconciler, Refused, Subject } from './reconciler.js';
import { WriteBudget } from './write-budget.js';

/** More rounds than most controllers need. */
const MAX_ROUNDS = 12;
/** Repetitions of the same action, although it was taken, after which a key fails. */
const MAX_SAME = 3;
/** Stale caches in a row after which the run fails. */
const MAX_BEHIND = 3;
const BEHIND_MS = 1_000;
/** Minimum delay of a requested look after a failure that was set aside: the look retries its action. */
const ASIDE_MS = 30_000;

export interface SettleLoopOptions<Observed, D extends Decision<Action>> {
  readonly name: string;
  readonly context: Pick<ControllerContext, 'clock' | 'logger'>;
  readonly about: (observed: Observed, key: string, action?: ActionOf<D>) => Subject | undefined;
}

/** Runs a key: observe → decide → act, until no action is left. */
export class SettleLoop<Observed, D extends Decision<Action>> {
  readonly #reconciler: Reconciler<Observed, D>;
  readonly #options: SettleLoopOptions<Observed, D>;
  readonly #budget: WriteBudget | undefined;
  /** Key → last recorded Event. */
  readonly #lastEvents = new Map<string, string>();
  /** Key → last action before it yielded. Repeating it counts as within one run. */
  readonly #yielded = new Map<string, ActionOf<D> | undefined>();
  /** Key → stale caches in a row. */
  readonly #behind = new Map<string, number>();

  constructor(reconciler: Reconciler<Observed, D>, options: SettleLoopOptions<Observed, D>) {
    this.#reconciler = reconciler;
    this.#options = options;
    this.#budget = reconciler.budget === undefined ? undefined : new WriteBudget(reconciler.budget);
  }

  async run(key: string, signal: AbortSignal): Promise<Result | Failed> {
    const aside: unknown[] = [];
    const result = await this.#rounds(key, signal, aside);
    if (aside.length === 0) return result;
    // The failure must not delay the look at the rest of the key.
    const withinMs = result.kind === 'requeue' ? Math.max(result.afterMs, ASIDE_MS) : undefined;
    return { kind: 'error', error: aside[0], withinMs };
  }

  /** `aside` collects failures that block no other action. */
  async #rounds(key: string, signal: AbortSignal, aside: unknown[]): Promise<Result> {
    let observed: Observed | undefined;
    let before = this.#yielded.get(key);
    let same = 0;
    for (let round = 0; ; round++) {
      observed = this.#completed(await this.#observe(key, observed, signal));
      const decision = this.#reconciler.decide(observed);
      this.#reconciler.decided?.(key, observed, decision);
      if (decision.event !== undefined) this.#recordEvent(key, observed, decision.event);
      if (decision.actions.length === 0) return this.#settled(key, decision, aside.length === 0);
      const [first] = decision.actions;
      same = isSame(first, before) ? same + 1 : 0;
      before = first;
      if (round === (this.#reconciler.rounds ?? MAX_ROUNDS) || same === MAX_SAME)
        throw new ControllerError('NotSettled', this.#options.name);
      for (const action of this.#reconciler.takesAll === true ? decision.actions : decision.actions.slice(0, 1)) {
        const waitMs = this.#budget?.waitMs(key, this.#options.context.clock.monotonic()) ?? 0;
        if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
        const result = await this.#take(key, observed, action, { signal, aside });
        if (result !== undefined) return result;
      }
      if (decision.ends !== undefined) return decision.ends;
      // Repeated and failed actions do not yield: their failures must be counted.
      if (decision.yields === true && same === 0 && aside.length === 0) {
        this.#yielded.set(key, before);
        return { kind: 'requeue', afterMs: 0, priority: 'background' };
      }
    }
  }

  async #observe(key: string, before: Observed | undefined, signal: AbortSignal): Promise<Observed> {
    try {
      return await this.#reconciler.observe(key, signal, before);
    } catch (error) {
      if (isRefusal(error)) await this.#report(error, { key, observed: before, action: undefined }, signal);
      throw error;
    }
  }

  /** Nothing is awaited between this call and the first action. */
  #completed(observed: Observed): Observed {
    return this.#reconciler.lastLook === undefined ? observed : this.#reconciler.lastLook(observed);
  }

  #settled(
    key: string,
    { event, lasts = false, requeueAfterMs, requeuePriority = 'background', waits = event?.type === 'Warning' }: D,
    isClean: boolean,
  ): Result {
    if (isClean) this.#behind.delete(key);
    this.#yielded.delete(key);
    if (event === undefined && !lasts) this.#lastEvents.delete(key);
    if (requeueAfterMs !== undefined) return { kind: 'requeue', afterMs: requeueAfterMs, priority: requeuePriority };
    return waits ? park : done;
  }

  async #take(
    key: string,
    observed: Observed,
    action: ActionOf<D>,
    { signal, aside }: { readonly signal: AbortSignal; readonly aside: unknown[] },
  ): Promise<Result | undefined> {
    const { clock, logger } = this.#options.context;
    try {
      const outcome = await this.#reconciler.act(action, signal, observed);
      this.#budget?.spend(key, clock.monotonic());
      logger.info('An action was taken.', { key, action: action.type });
      if (outcome?.event !== undefined) this.#recordEvent(key, observed, outcome.event, action);
      else if (outcome?.kind === 'done') this.#lastEvents.delete(key);
      return outcome ?? undefined;
    } catch (error) {
      if (isGone(error)) return done;
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) {
        // The watch will deliver what the cache lacks, and with it the key.
        const times = (this.#behind.get(key) ?? 0) + 1;
        this.#behind.set(key, times);
        if (times <= MAX_BEHIND) return { kind: 'requeue', afterMs: BEHIND_MS };
      }
      if (isRefusal(error)) await this.#refused(error, key, observed, action, signal);
      if (signal.aborted || this.#reconciler.setAside?.(error, action, observed) !== true) throw error;
      aside.push(error);
      return undefined;
    }
  }

  async #refused(
    error: ApiError,
    key: string,
    observed: Observed,
    action: ActionOf<D>,
    signal: AbortSignal,
  ): Promise<void> {
    const event = this.#reconciler.refused?.(error, action);
    if (event !== undefined) this.#recordEvent(key, observed, event, action);
    await this.#report(error, { key, observed, action }, signal);
  }

  async #report(error: ApiError, refused: Refused<Observed, D>, signal: AbortSignal): Promise<void> {
    try {
      await this.#reconciler.reportRefusal?.(error, refused, signal);
    } catch (failure) {
      // The refusal counts.
      if (!isGone(failure)) throw failure;
    }
  }

  #recordEvent(key: string, observed: Observed, event: EventMessage, action?: ActionOf<D>): void {
    const subject = this.#options.about(observed, key, action);
    if (subject === undefined) return;
    const text = `${subject.regarding.uid ?? ''}\n${event.reason}\n${event.message}`;
    if (this.#lastEvents.get(key) === text) return;
    this.#lastEvents.set(key, text);
    if (event.type === 'Warning') this.#options.context.logger.warn(event.message, { key, reason: event.reason });
    subject.events.record(subject.regarding, event);
  }
}

/** An action too deep to compare counts as different: the limit of rounds bounds it. */
function isSame(action: unknown, before: unknown): boolean {
  try {
    return equal(action, before);
  } catch (error) {
    if (isTooDeep(error)) return false;
    throw error;
  }
}

const isGone = (error: unknown): boolean => error instanceof ControllerError && error.code === 'ObjectGone';
