import { type Recovery, isApiError } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import {
  type Failures,
  type ObjectProblem,
  type Obstacles,
  type Queue,
  type Result,
  coalesce,
  createFailures,
  createObstacles,
  createQueue,
  done,
  missingRight,
} from '@hawser/controller';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';

import { PairLoop } from './pair-loop.js';
import type { PairMetrics } from './pair-metrics.js';
import { type DeadLetter, PairReports } from './pair-reports.js';
import type { PairRole, PairTypes } from './role.js';

export interface PairEngineOptions {
  /** Name of the queue, for logs and metrics. */
  readonly name: string;
  /** Pairs processed at the same time. */
  readonly concurrency: number;
  /** How many of these may run at present. Default: all. */
  readonly limit?: (() => number) | undefined;
  /**
   * Pairs are processed only after this: before the caches of the originals are filled, every copy would look like an
   * orphan.
   */
  readonly ready: Promise<void>;
  /** Whether every cache is filled, or refused: from then on looks at pairs are meaningful. */
  readonly isFilled: () => boolean;
  readonly recoveries: readonly (Recovery | undefined)[];
  /** Events about the objects of the pairs. */
  readonly events: EventRecorder;
  /** Called at most once per turn of the event loop when problems or {@link PairEngine.surveyed} have changed. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Metrics of these pairs. Default: only those of the queue. */
  readonly figures?: PairMetrics | undefined;
}

const BACKOFF = { initialMs: 100, capMs: 300_000 } as const;

/** Delay of the look that covers an event which does not come. */
const EVENT_OVERDUE_MS = 120_000;

/**
 * Keeps pairs in step: an object and its copy, in any role. One loop for each key, observe → decide → act, until no
 * step is left; a key has one worker at most.
 *
 * - An object in step costs no write. A step that is refused, undone, or without effect is retried with growing delays,
 *   and reported to the person who must act.
 * - A conflict is answered by reading the refusing side, three times. A step that waits for a right, or for an endpoint
 *   that answers 500, is retried when that is available.
 * - A background step runs when no other key waits.
 */
export class PairEngine<T extends PairTypes> {
  readonly #role: PairRole<T>;
  readonly #options: PairEngineOptions;
  readonly #queue: Queue;
  readonly #loop: PairLoop<T>;
  readonly #failures: Failures<T['action']>;
  readonly #obstacles: Obstacles;
  readonly #reports: PairReports<T>;
  readonly #notifyChanged: () => void;
  /** Keys whose last look left only background work, without a change since. */
  readonly #deferred = new Set<string>();
  #survey: 'waiting' | 'looking' | 'over' = 'waiting';
  #round = 0;
  #stopped = false;

  constructor(role: PairRole<T>, options: PairEngineOptions) {
    const { name, concurrency, limit, ready, recoveries, clock, random, logger, metrics } = options;
    this.#role = role;
    this.#options = options;
    this.#notifyChanged = coalesce(() => {
      if (this.#stopped) return;
      options.figures?.counted(this.problems(), this.deadLetters());
      options.changed();
    });
    this.#failures = createFailures(clock, role.steps.textOf, { effortOf: role.steps.effortOf, random });
    this.#reports = new PairReports(role.words, this.#failures, {
      clock,
      logger,
      events: options.events,
      changed: this.#notifyChanged,
    });
    this.#loop = new PairLoop(role, {
      failures: this.#failures,
      settled: (key, observed, decision) => {
        role.settled(key, observed, decision);
      },
      undone: (key, observed, problem) => {
        this.#reports.report(key, observed, problem);
      },
      taken: (key, { action }) => {
        this.#taken(key, action);
      },
    });
    this.#queue = createQueue({
      name,
      concurrency,
      ready,
      recoveries,
      clock,
      random,
      logger,
      metrics,
      ...(limit === undefined ? {} : { limit }),
      backoff: BACKOFF,
      reconcile: (key, signal) => this.#run(key, signal),
      retriesInMs: (key) => this.#retriesInMs(key),
      onFailure: (key, error, times) => {
        this.#reports.threw(key, error, times);
      },
    });
    this.#obstacles = createObstacles({
      clock,
      random,
      release: (keys) => {
        this.#release(keys);
      },
    });
  }

  /** A change may concern the pair, and may be what it waits for. */
  noticed(key: string): void {
    this.#deferred.delete(key);
    this.#options.figures?.noticed(key);
    this.#queue.add(key, { resetBackoff: true });
  }

  /** A change may let all refused steps succeed: looks at these pairs and retries parked steps at once. */
  recheck(keys: Iterable<string>): void {
    this.#failures.retryAll();
    for (const key of keys) this.noticed(key);
  }

  /** Retries whatever this pair waits for: a person requests it. */
  retry(key: string): void {
    this.#failures.retryNow((asked) => asked === key);
    this.noticed(key);
  }

  /** The steps that would be taken now. Writes nothing. */
  plan(key: string): T['decision'] {
    return this.#role.decide(this.#role.observe(key, this.#role.nothingLearned));
  }

  problems(): readonly ObjectProblem[] {
    return this.#reports.problems();
  }

  problemOf(key: string): ObjectProblem | undefined {
    return this.#reports.problemOf(key);
  }

  /** The problems of pairs whose steps keep being refused. */
  deadLetters(): readonly DeadLetter[] {
    return this.#reports.deadLetters();
  }

  /** Reports that something besides the problem of a pair has changed. */
  notifyChanged(): void {
    this.#notifyChanged();
  }

  /** True once every pair was looked at with all caches filled, or refused for good: then all problems are known. */
  get surveyed(): boolean {
    return this.#survey === 'over';
  }

  /** Call it whenever a cache may have been filled or refused. */
  survey(): void {
    if (this.#survey !== 'waiting' || this.#stopped || !this.#options.isFilled()) return;
    this.#survey = 'looking';
    const round = ++this.#round;
    void this.#queue.idle().then(() => {
      if (round !== this.#round) return;
      this.#survey = 'over';
      this.#notifyChanged();
    });
  }

  /** Discards what is known of the pairs until all were looked at again. */
  surveyAgain(): void {
    this.#round++;
    this.#survey = 'waiting';
    this.survey();
  }

  /** Resolves when no pair is queued. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Stops; resolves when nothing is in flight. Leaves all objects unchanged. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#obstacles.close();
    await this.#queue.stop();
  }

  async #run(key: string, signal: AbortSignal): Promise<Result> {
    const outcome = await this.#loop.run(key, this.#deferred.delete(key), signal);
    switch (outcome.kind) {
      case 'settled':
        return this.#settle(key, outcome.observed, outcome.decision);
      case 'parked':
        return { kind: 'requeue', afterMs: outcome.afterMs };
      case 'waiting':
      case 'gone':
        // An event usually follows. It does not if a restore has undone the answered write and the object looks as
        // before.
        return { kind: 'requeue', afterMs: EVENT_OVERDUE_MS, priority: 'background' };
      case 'failed':
        return this.#failed(key, outcome.observed, outcome.action, outcome.error);
    }
  }

  #taken(key: string, action: T['action']): void {
    this.#options.figures?.acted(key, action, 'done');
    this.#obstacles.passed(this.#role.steps.endpointOf(action), key);
  }

  #failed(key: string, observed: T['observed'], action: T['action'], error: unknown): never {
    const { steps } = this.#role;
    this.#options.figures?.acted(key, action, 'failed');
    // It is the next try, with the key's back-off.
    if (steps.isBackground?.(action) === true) this.#deferred.add(key);
    this.#reports.refused(key, observed, action, error);
    const obstacle = isApiError(error, 'InternalError')
      ? { id: steps.endpointOf(action) }
      : missingRight(error, steps.clientOf(action, error));
    if (obstacle !== undefined) this.#obstacles.met(key, obstacle);
    if (isApiError(error))
      this.#options.logger.debug('step failed', { object: key, action: action.type, code: error.code });
    throw error;
  }

  #settle(key: string, observed: T['observed'], decision: T['decision']): Result {
    const [later] = decision.actions;
    const standingMs = this.#reports.settled(key, observed, decision);
    if (decision.verdict.kind !== 'progressing') this.#options.figures?.settled(key);
    const afterMs = Math.min(decision.requeueAfterMs ?? Infinity, standingMs ?? Infinity);
    if (later === undefined) {
      this.#obstacles.left(key);
      return afterMs === Infinity ? done : { kind: 'requeue', afterMs };
    }
    // A deferrable step runs when no other key waits, and after a refusal only when it is due.
    this.#deferred.add(key);
    const waitMs = this.#failures.waits(key, later);
    if (waitMs > 0) return { kind: 'requeue', afterMs: Math.min(afterMs, waitMs), priority: 'background' };
    this.#queue.add(key, { priority: 'background' });
    return afterMs === Infinity ? done : { kind: 'requeue', afterMs };
  }

  #release(keys: readonly string[]): void {
    for (const key of keys) this.#failures.retry(key);
    this.#queue.release(keys);
  }

  #retriesInMs(key: string): number | undefined {
    const at = this.#failures.get(key)?.nextAttempt;
    return at === undefined ? undefined : at - this.#options.clock.now();
  }
}
