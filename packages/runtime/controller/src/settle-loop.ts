import { isAlreadyExists, isConflict, isNotFound, isRefusal } from '@hawser/client';
import type { EventMessage } from '@hawser/telemetry';
import type { ControllerContext } from './controller.js';
import { ControllerError } from './controller-error.js';
import { type Result, done, park } from './queue.js';
import type { Action, ActionOf, Decision, Reconciler, Subject } from './reconciler.js';
import { WriteBudget } from './write-budget.js';

/** More actions than any sequence needs. */
const MAX_ACTIONS = 12;
/** So often in a row a cache may be behind before that counts as a failure. */
const MAX_BEHIND = 3;
const BEHIND_MS = 1_000;

export interface SettleLoopOptions<Observed> {
  readonly name: string;
  readonly context: Pick<ControllerContext, 'clock' | 'logger'>;
  readonly about: (observed: Observed, key: string) => Subject | undefined;
}

/** Takes the actions of a key, one after the other, until none is left: observe → decide → act. */
export class SettleLoop<Observed, D extends Decision<Action>> {
  readonly #reconciler: Reconciler<Observed, D>;
  readonly #options: SettleLoopOptions<Observed>;
  readonly #budget: WriteBudget | undefined;
  /** By key: which Event was told last. */
  readonly #told = new Map<string, string>();
  /** By key: how often in a row its cache was behind. */
  readonly #behind = new Map<string, number>();

  constructor(reconciler: Reconciler<Observed, D>, options: SettleLoopOptions<Observed>) {
    this.#reconciler = reconciler;
    this.#options = options;
    this.#budget = reconciler.budget === undefined ? undefined : new WriteBudget(reconciler.budget);
  }

  async run(key: string, signal: AbortSignal): Promise<Result> {
    for (let taken = 0; ; taken++) {
      const observed = await this.#reconciler.observe(key, signal);
      const decision = this.#reconciler.decide(observed);
      this.#reconciler.decided?.(key, observed, decision);
      if (decision.event !== undefined) this.#tell(key, observed, decision.event);
      const [action] = decision.actions;
      if (action === undefined) return this.#settled(key, decision);
      if (taken === MAX_ACTIONS) throw new ControllerError('NotSettled', this.#options.name);
      const waitMs = this.#budget?.waitMs(key, this.#options.context.clock.monotonic()) ?? 0;
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      const result = await this.#take(key, observed, action, signal);
      if (result !== undefined) return result;
    }
  }

  #settled(key: string, { event, requeueAfterMs }: D): Result {
    this.#behind.delete(key);
    if (event === undefined) this.#told.delete(key);
    if (requeueAfterMs !== undefined) return { kind: 'requeue', afterMs: requeueAfterMs, priority: 'background' };
    return event?.type === 'Warning' ? park : done;
  }

  async #take(key: string, observed: Observed, action: ActionOf<D>, signal: AbortSignal): Promise<Result | undefined> {
    const { clock, logger } = this.#options.context;
    try {
      const result = await this.#reconciler.act(action, signal, observed);
      this.#budget?.spend(key, clock.monotonic());
      logger.info('An action was taken.', { key, action: action.type });
      return result ?? undefined;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) {
        // The watch brings what the cache does not know yet, and with it the key.
        const times = (this.#behind.get(key) ?? 0) + 1;
        this.#behind.set(key, times);
        if (times <= MAX_BEHIND) return { kind: 'requeue', afterMs: BEHIND_MS };
      }
      const event = isRefusal(error) ? this.#reconciler.refused?.(error, action) : undefined;
      if (event !== undefined) this.#tell(key, observed, event);
      throw error;
    }
  }

  #tell(key: string, observed: Observed, event: EventMessage): void {
    const subject = this.#options.about(observed, key);
    if (subject === undefined) return;
    const text = `${subject.regarding.uid ?? ''}\n${event.reason}\n${event.message}`;
    if (this.#told.get(key) === text) return;
    this.#told.set(key, text);
    if (event.type === 'Warning') this.#options.context.logger.warn(event.message, { key, reason: event.reason });
    subject.events.record(subject.regarding, event);
  }
}
