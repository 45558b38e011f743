import type { Cause } from '@hawser/telemetry';
import type { Delayed } from './delays.js';
import type { FifoLinks } from './fifo.js';
import type { Priority } from './queue.js';

/** The queue's state of one key. Created when the key is first added, dropped when nothing is left to remember. */
export class QueueEntry implements FifoLinks<QueueEntry>, Delayed {
  /** `resting`: neither waiting nor running; delayed, backing off, or parked with failures. */
  state: 'resting' | 'waiting' | 'running' = 'resting';
  /** Priority of the wait or of the run. */
  priority: Priority = 'normal';
  /** Start of the wait; monotonic. */
  waitingSince = 0;
  failures = 0;
  /** Added during the run: run once more at this priority. */
  again: Priority | undefined;
  /** Cause of the next run, where spans are recorded. */
  cause: Cause | undefined;
  /** That add also ended the back-off. */
  againReset = false;
  /**
   * Time that the last run requested for the next one. An earlier run voids it: its own result counts. Monotonic;
   * Infinity: never.
   */
  retryAt = Infinity;
  retryPriority: Priority = 'normal';
  /** `retryAt` is a back-off: an ordinary add does not shorten it. */
  backingOff = false;
  /** Backs off because of an unreachable server. */
  waitsForServer = false;
  /** Retry-After of the server; only `forget` shortens it. */
  notBefore = 0;
  /** From `addAfter`. An earlier run does not cancel it. */
  delayedUntil = Infinity;
  delayedPriority: Priority = 'normal';

  previous: QueueEntry | undefined;
  next: QueueEntry | undefined;
  dueAt = Infinity;
  heapIndex = -1;

  constructor(readonly key: string) {}

  /** Whether it carries no information. */
  get isEmpty(): boolean {
    return (
      this.state === 'resting' && this.failures === 0 && this.retryAt === Infinity && this.delayedUntil === Infinity
    );
  }
}
