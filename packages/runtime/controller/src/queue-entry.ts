import type { Cause } from '@hawser/telemetry';
import type { Delayed } from './delays.js';
import type { FifoLinks } from './fifo.js';
import type { Priority } from './queue.js';

/** What the queue knows about one key. Made when the key is first added, dropped as soon as there is nothing to remember. */
export class QueueEntry implements FifoLinks<QueueEntry>, Delayed {
  /** `resting`: neither waiting nor running; delayed, backing off, or parked with failures. */
  state: 'resting' | 'waiting' | 'running' = 'resting';
  /** Of the wait or of the run. */
  priority: Priority = 'normal';
  /** Since when it waits; monotonic. */
  waitingSince = 0;
  failures = 0;
  /** Added while it ran: to be run once more at this priority. */
  again: Priority | undefined;
  /** What asked for the next run, where spans are recorded. */
  cause: Cause | undefined;
  /** That add also ended the back-off. */
  againReset = false;
  /** When the last run wants the next one. A run that starts earlier makes it void: then its own result counts. Monotonic; Infinity: never. */
  retryAt = Infinity;
  retryPriority: Priority = 'normal';
  /** `retryAt` is a back-off, which an ordinary add does not cut short. */
  backingOff = false;
  /** It backs off because a server could not be reached. */
  waitsForServer = false;
  /** Until then the server asked to be left alone; nothing but `forget` cuts that short. */
  notBefore = 0;
  /** From `addAfter`. A run that starts earlier does not cancel it. */
  delayedUntil = Infinity;
  delayedPriority: Priority = 'normal';

  previous: QueueEntry | undefined;
  next: QueueEntry | undefined;
  dueAt = Infinity;
  heapIndex = -1;

  constructor(readonly key: string) {}

  /** Whether forgetting it changes nothing. */
  get isEmpty(): boolean {
    return (
      this.state === 'resting' && this.failures === 0 && this.retryAt === Infinity && this.delayedUntil === Infinity
    );
  }
}
