import { AsyncLocalStorage } from 'node:async_hooks';
import { isOutage } from '@hawser/client';
import type { BackoffOptions, TimerHandle } from '@hawser/clock';
import { currentCause, noCause, withSpan } from '@hawser/telemetry';
import PQueue from 'p-queue';
import { Delays } from './delays.js';
import type { Failed, Priority, Queue, QueueOptions, Result } from './queue.js';
import { QueueEntry } from './queue-entry.js';
import { type QueueMetrics, createQueueMetrics } from './queue-metrics.js';
import { retryDelay } from './retry-after.js';
import { ReleasedKeys } from './released-keys.js';
import { checked } from './checked-result.js';
import { RunStack } from './run-stack.js';
import { SharedTurn } from './shared-turn.js';
import { WaitingKeys, higher } from './waiting-keys.js';

const defaultBackoff: BackoffOptions = { initialMs: 50, capMs: 300_000 };
const defaultGraceMs = 5000;

const TRACER = '@hawser/controller';

/**
 * Creates a queue of keys. Any number of adds put a key in once, and it has one worker at most. Urgent keys go before
 * normal ones, and those before background ones: background work waits while anything else is queued. Within a
 * priority: first in, first out.
 *
 * `add` never reconciles; keys added in one go are ordered before the first of them starts.
 */
export function createQueue(options: QueueOptions): Queue {
  return new KeyedQueue(options);
}

type Outcome = Result | Failed;

class KeyedQueue implements Queue {
  readonly #options: QueueOptions;
  readonly #backoff: BackoffOptions;
  readonly #metrics: QueueMetrics;
  readonly #entries = new Map<string, QueueEntry>();
  readonly #waiting: WaitingKeys;
  readonly #delays: Delays<QueueEntry>;
  /** One run for each waiting key. A run picks its key when it starts: by then all keys added together are in order. */
  readonly #runs: PQueue<RunStack>;
  /** Reconciles run in the async context of the queue's creator, not in that of an `add`. */
  readonly #inOwnContext = AsyncLocalStorage.snapshot();
  readonly #abort = new AbortController();
  #running = 0;
  readonly #turn = new SharedTurn();
  #idleWaiters: (() => void)[] = [];
  #stopping: Promise<void> | undefined;
  #abortAt = Infinity;
  #abortTimer: TimerHandle | undefined;
  readonly #released: ReleasedKeys;
  readonly #recoveries: readonly { close(): void }[];

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#metrics = createQueueMetrics(options.metrics, options.name, options.clock, options.concurrency);
    this.#waiting = new WaitingKeys(this.#metrics);
    this.#released = new ReleasedKeys(options.clock, () => {
      this.#release();
    });
    this.#delays = new Delays(options.clock, (entry, now) => {
      this.#fallDue(entry, now);
    });
    this.#runs = new PQueue({
      concurrency: options.concurrency,
      autoStart: options.ready === undefined,
      queueClass: RunStack,
    });
    this.#recoveries = (options.recoveries ?? []).flatMap((recovery) =>
      recovery === undefined
        ? []
        : [
            recovery.onRecovered(() => {
              this.recovered();
            }),
          ],
    );
    options.ready?.then(
      () => {
        this.#runs.start();
      },
      // Never ready: the creator of the promise reports why.
      () => undefined,
    );
  }

  get size(): number {
    return this.#waiting.size + this.#running + this.#delays.size;
  }

  add(key: string, options: { readonly priority?: Priority; readonly resetBackoff?: boolean } = {}): void {
    if (this.#stopping !== undefined) return;
    const entry = this.#entry(key);
    const priority = options.priority ?? 'normal';
    const reset = options.resetBackoff === true;
    if (reset) entry.failures = 0;
    // The first cause of several merged adds.
    entry.cause ??= currentCause(TRACER);
    switch (entry.state) {
      case 'running':
        if (entry.again === undefined) this.#metrics.added();
        entry.again = entry.again === undefined ? priority : higher(entry.again, priority);
        entry.againReset ||= reset;
        return;
      case 'waiting':
        this.#waiting.promote(entry, priority);
        return;
      case 'resting':
        if (entry.backingOff) {
          const now = this.#options.clock.monotonic();
          entry.retryPriority = higher(entry.retryPriority, priority);
          if (!reset) return;
          if (entry.notBefore > now) {
            entry.retryAt = entry.notBefore;
            this.#schedule(entry);
            return;
          }
        }
        this.#metrics.added();
        this.#enqueue(entry, priority);
    }
  }

  addAfter(key: string, ms: number, priority: Priority = 'normal'): void {
    if (this.#stopping !== undefined) return;
    if (!(ms > 0)) {
      this.add(key, { priority });
      return;
    }
    const entry = this.#entry(key);
    entry.delayedPriority = entry.delayedUntil === Infinity ? priority : higher(entry.delayedPriority, priority);
    entry.delayedUntil = Math.min(entry.delayedUntil, this.#options.clock.monotonic() + ms);
    this.#schedule(entry);
    this.#drop(entry);
  }

  recovered(): void {
    if (this.#stopping !== undefined) return;
    this.#released.recovered([...this.#entries.values()]);
    this.#release();
  }

  release(keys: readonly string[]): void {
    if (this.#stopping !== undefined) return;
    this.#released.add(keys.flatMap((key) => this.#entries.get(key) ?? []));
    if (!this.#released.isPaced) this.#release();
  }

  /** // The longest-waiting keys go first. Keeps the failure counts: a key that fails again backs off for longer. */
  #release(): void {
    for (const entry of this.#released.take(Math.max(1, this.#limit()))) {
      this.#metrics.added();
      this.#enqueue(entry, 'urgent');
    }
    this.#released.pace();
  }

  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.failures = 0;
    entry.notBefore = 0;
    entry.delayedUntil = Infinity;
    this.#endRetry(entry);
    this.#schedule(entry);
    this.#drop(entry);
  }

  idle(): Promise<void> {
    if (this.#waiting.size === 0 && this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
    });
  }

  stop(graceMs = defaultGraceMs): Promise<void> {
    this.#stopping ??= this.#drain();
    this.#limitDrain(graceMs);
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    for (const recovery of this.#recoveries) recovery.close();
    this.#released.clear();
    this.#delays.clear();
    this.#waiting.clear();
    this.#runs.clear();
    for (const entry of this.#entries.values()) if (entry.state !== 'running') this.#entries.delete(entry.key);
    this.#reportIdle();
    // Asynchronous from here on: `stop` must set `#stopping` before a run can end.
    await Promise.resolve();
    await this.#runs.onIdle();
    this.#abortTimer?.cancel();
    this.#abortTimer = undefined;
  }

  /** A later stop may shorten the grace of an earlier one, never lengthen it. */
  #limitDrain(graceMs: number): void {
    const abortAt = this.#options.clock.monotonic() + graceMs;
    if (this.#running === 0 || this.#abort.signal.aborted || abortAt >= this.#abortAt) return;
    this.#abortAt = abortAt;
    this.#abortTimer?.cancel();
    const abort = (): void => {
      this.#abort.abort(new Error(`queue ${this.#options.name} was stopped`));
    };
    if (graceMs > 0) this.#abortTimer = this.#options.clock.setTimeout(abort, graceMs);
    else abort();
  }

  #entry(key: string): QueueEntry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = new QueueEntry(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #drop(entry: QueueEntry): void {
    if (entry.isEmpty) this.#entries.delete(entry.key);
  }

  #enqueue(entry: QueueEntry, priority: Priority): void {
    this.#endRetry(entry);
    this.#schedule(entry);
    this.#waiting.add(entry, priority, this.#options.clock.monotonic());
    this.#adjust();
    this.#inOwnContext(() => void this.#runs.add(this.#runNext));
  }

  #endRetry(entry: QueueEntry): void {
    entry.retryAt = Infinity;
    entry.backingOff = false;
  }

  /** Sets the entry's due time from its two times. */
  #schedule(entry: QueueEntry): void {
    const dueAt = Math.min(entry.retryAt, entry.delayedUntil);
    if (dueAt === Infinity) this.#delays.remove(entry);
    else if (dueAt !== entry.dueAt || entry.heapIndex < 0) this.#delays.set(entry, dueAt);
  }

  #fallDue(entry: QueueEntry, now: number): void {
    if (entry.retryAt <= now) {
      const priority = entry.retryPriority;
      this.#endRetry(entry);
      this.add(entry.key, { priority });
    }
    if (entry.delayedUntil <= now) {
      entry.delayedUntil = Infinity;
      this.add(entry.key, { priority: entry.delayedPriority });
    }
    this.#schedule(entry);
  }

  /** Adjusts the number of concurrent runs to the limit. */
  #adjust(): void {
    const limit = this.#limit();
    if (this.#runs.concurrency !== limit) this.#runs.concurrency = limit;
  }

  #limit(): number {
    const { concurrency, limit } = this.#options;
    return limit === undefined ? concurrency : Math.max(1, Math.min(concurrency, limit()));
  }

  readonly #runNext = async (): Promise<void> => {
    await Promise.resolve();
    if (this.#turn.isUsed()) await this.#turn.next();
    const entry = this.#take();
    if (entry === undefined) return;
    await this.#run(entry);
    this.#adjust();
  };

  #take(): QueueEntry | undefined {
    const entry = this.#waiting.shift();
    if (entry === undefined) return undefined;
    entry.state = 'running';
    this.#running++;
    return entry;
  }

  async #run(entry: QueueEntry): Promise<void> {
    const { name, clock, reconcile } = this.#options;
    const startedAt = clock.monotonic();
    // A worker goes from key to key: the cause of its first key is not that of the next.
    const cause = entry.cause ?? noCause;
    entry.cause = undefined;
    const running = this.#metrics.started(startedAt - entry.waitingSince, startedAt);
    let outcome: Outcome;
    try {
      outcome = checked(
        await withSpan(
          TRACER,
          'reconcile',
          () => reconcile(entry.key, this.#abort.signal),
          { queue: name, key: entry.key },
          cause,
        ),
      );
    } catch (error) {
      outcome = { kind: 'error', error };
    }
    this.#metrics.finished(running, clock.monotonic(), outcome.kind);
    // Before the key rests: adds by the failure handler count as added during the run, and do not skip the back-off.
    if (outcome.kind === 'error') this.#fail(entry, outcome.error);
    this.#running--;
    entry.state = 'resting';
    if (this.#stopping === undefined) this.#settle(entry, outcome);
    else this.#entries.delete(entry.key);
    this.#reportIdle();
  }

  #fail(entry: QueueEntry, error: unknown): void {
    const { name, logger, onFailure } = this.#options;
    if (this.#stopping !== undefined) {
      logger.debug('A reconcile failed while its queue stopped.', { queue: name, key: entry.key, error });
      return;
    }
    entry.failures++;
    try {
      onFailure?.(entry.key, error, entry.failures);
    } catch (thrown) {
      logger.error('The failure handler of a queue threw.', { queue: name, key: entry.key, error: thrown });
    }
  }

  #settle(entry: QueueEntry, outcome: Outcome): void {
    const { again, againReset } = entry;
    entry.again = undefined;
    entry.againReset = false;
    switch (outcome.kind) {
      case 'error':
        this.#backOff(entry, outcome, again, againReset);
        return;
      case 'done':
        entry.failures = 0;
        break;
      case 'requeue':
        entry.failures = 0;
        if (again === undefined) {
          entry.retryAt = this.#options.clock.monotonic() + outcome.afterMs;
          entry.retryPriority = outcome.priority ?? 'normal';
        }
        break;
      case 'park':
        break;
    }
    entry.notBefore = 0;
    if (again !== undefined) this.#enqueue(entry, again);
    else this.#schedule(entry);
    this.#drop(entry);
  }

  #backOff(
    entry: QueueEntry,
    { error, withinMs = Infinity }: Failed,
    again: Priority | undefined,
    againReset: boolean,
  ): void {
    const { name, clock, random, logger, retriesInMs } = this.#options;
    const { asked, delay } = retryDelay(error, entry.failures, withinMs, this.#backoff, random);
    const ownMs = againReset ? asked : delay;
    logger.warn('A reconcile failed.', {
      queue: name,
      key: entry.key,
      failures: entry.failures,
      retryInMs: Math.round(Math.max(ownMs, retriesInMs?.(entry.key) ?? 0)),
      error,
    });
    this.#metrics.retried();
    const now = clock.monotonic();
    entry.notBefore = asked > 0 ? now + asked : 0;
    if (againReset) {
      entry.failures = 0;
      if (asked === 0) {
        this.#enqueue(entry, again ?? entry.priority);
        return;
      }
    }
    entry.retryAt = againReset ? entry.notBefore : now + delay;
    entry.retryPriority = again === undefined ? entry.priority : higher(entry.priority, again);
    entry.backingOff = true;
    entry.waitsForServer = isOutage(error);
    // The outage goes on, or has begun anew: the others wait for its next end, or their own time.
    if (entry.waitsForServer) this.#released.outage();
    this.#schedule(entry);
  }

  #reportIdle(): void {
    if (this.#waiting.size > 0 || this.#running > 0 || this.#idleWaiters.length === 0) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
