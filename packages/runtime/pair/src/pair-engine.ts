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
  /** Of the queue, for logs and metrics. */
  readonly name: string;
  /** Pairs that are worked on at the same time. */
  readonly concurrency: number;
  /** How many of these may be used at present. Default: all. */
  readonly limit?: (() => number) | undefined;
  /** Pairs are looked at from then on: before the caches of the originals are filled, every copy would look left over. */
  readonly ready: Promise<void>;
  /** Whether every cache is filled, or refused: from then on a look at a pair means something. */
  readonly isFilled: () => boolean;
  readonly recoveries: readonly (Recovery | undefined)[];
  /** Events about the objects of the pairs. */
  readonly events: EventRecorder;
  /** Told, at most once per turn of the event loop, that problems or {@link PairEngine.surveyed} are not what they were. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The figures of these pairs. Default: those of the queue alone. */
  readonly figures?: PairMetrics | undefined;
}

const BACKOFF = { initialMs: 100, capMs: 300_000 } as const;

/** What is waited for by an event is looked at again after this, in case the event does not come. */
const EVENT_OVERDUE_MS = 120_000;

/**
 * Keeps pairs in step: an object and its copy, whatever the role. One loop for each key, observe → decide → act, until nothing is to be done; a key has one worker at most.
 *
 * - An object in step costs no write. A step that is refused, undone, or leads nowhere is taken ever less often, and told to who must act.
 * - A conflict is met by reading the side that refused, three times. What waits for a right, or for an endpoint that answers 500, is tried when that is there.
 * - A step in the background is taken when no other key waits.
 */
export class PairEngine<T extends PairTypes> {
  readonly #role: PairRole<T>;
  readonly #options: PairEngineOptions;
  readonly #queue: Queue;
  readonly #loop: PairLoop<T>;
  readonly #failures: Failures<T['action']>;
  readonly #obstacles: Obstacles;
  readonly #reports: PairReports<T>;
  readonly #tell: () => void;
  /** Keys for which only background work was left when they were last looked at, and nothing has happened since. */
  readonly #deferred = new Set<string>();
  #survey: 'waiting' | 'looking' | 'over' = 'waiting';
  #round = 0;
  #stopped = false;

  constructor(role: PairRole<T>, options: PairEngineOptions) {
    const { name, concurrency, limit, ready, recoveries, clock, random, logger, metrics } = options;
    this.#role = role;
    this.#options = options;
    this.#tell = coalesce(() => {
      if (this.#stopped) return;
      options.figures?.counted(this.problems(), this.deadLetters());
      options.changed();
    });
    this.#failures = createFailures(clock, role.steps.textOf, { effortOf: role.steps.effortOf, random });
    this.#reports = new PairReports(role.words, this.#failures, {
      clock,
      logger,
      events: options.events,
      changed: this.#tell,
    });
    this.#loop = new PairLoop(role, {
      failures: this.#failures,
      settled: (key, observed, decision) => {
        role.settled(key, observed, decision);
      },
      told: (key, observed, problem) => {
        this.#reports.tell(key, observed, problem);
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

  /** Something has happened that may concern the pair, and may be what it was waiting for. */
  noticed(key: string): void {
    this.#deferred.delete(key);
    this.#options.figures?.noticed(key);
    this.#queue.add(key, { resetBackoff: true });
  }

  /** Something has changed that may let all refused steps succeed: these pairs are looked at, and what is parked is tried at once. */
  recheck(keys: Iterable<string>): void {
    this.#failures.retryAll();
    for (const key of keys) this.noticed(key);
  }

  /** A person asks that whatever this pair waits for be tried at once. */
  retry(key: string): void {
    this.#failures.retryNow((asked) => asked === key);
    this.noticed(key);
  }

  /** What would be done now. Writes nothing. */
  plan(key: string): T['decision'] {
    return this.#role.decide(this.#role.observe(key, this.#role.nothingLearned));
  }

  problems(): readonly ObjectProblem[] {
    return this.#reports.problems();
  }

  problemOf(key: string): ObjectProblem | undefined {
    return this.#reports.problemOf(key);
  }

  /** Of the problems, those of pairs whose steps keep being refused. */
  deadLetters(): readonly DeadLetter[] {
    return this.#reports.deadLetters();
  }

  /** Tells that something else than a problem of a pair is not what it was. */
  tell(): void {
    this.#tell();
  }

  /** True once every pair was looked at with all caches filled, or refused for good: from then on no problem is unknown. */
  get surveyed(): boolean {
    return this.#survey === 'over';
  }

  /** To be called whenever a cache may have been filled or refused. */
  survey(): void {
    if (this.#survey !== 'waiting' || this.#stopped || !this.#options.isFilled()) return;
    this.#survey = 'looking';
    const round = ++this.#round;
    void this.#queue.idle().then(() => {
      if (round !== this.#round) return;
      this.#survey = 'over';
      this.#tell();
    });
  }

  /** What was known of the pairs counts no more until all were looked at again. */
  surveyAgain(): void {
    this.#round++;
    this.#survey = 'waiting';
    this.survey();
  }

  /** Resolves when no pair waits to be looked at. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Resolves when nothing is in flight. Leaves all objects as they are. Idempotent. */
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
        // An event is on the way. It does not come where a restore has undone what was answered, and what is there now looks as it did before.
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
    // It is the next to be tried, with the key's back-off.
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
    // A step that can wait is taken when no other key waits, and after a refusal only when its time has come.
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
