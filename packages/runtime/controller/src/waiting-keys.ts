import { Fifo } from './fifo.js';
import type { QueueEntry } from './queue-entry.js';
import type { QueueMetrics } from './queue-metrics.js';
import type { Priority } from './queue.js';

const order: readonly Priority[] = ['urgent', 'normal', 'background'];

/** Keys that wait for a worker: by priority, then first in, first out. */
export class WaitingKeys {
  readonly #fifos: Readonly<Record<Priority, Fifo<QueueEntry>>> = {
    urgent: new Fifo(),
    normal: new Fifo(),
    background: new Fifo(),
  };
  readonly #metrics: Pick<QueueMetrics, 'depthChanged'>;
  #size = 0;

  constructor(metrics: Pick<QueueMetrics, 'depthChanged'>) {
    this.#metrics = metrics;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: QueueEntry, priority: Priority, now: number): void {
    entry.state = 'waiting';
    entry.priority = priority;
    entry.waitingSince = now;
    this.#fifos[priority].push(entry);
    this.#size++;
    this.#metrics.depthChanged(1, priority);
  }

  /** Moves a waiting key to a priority if that is higher. */
  promote(entry: QueueEntry, priority: Priority): void {
    if (higher(entry.priority, priority) === entry.priority) return;
    this.#fifos[entry.priority].remove(entry);
    this.#metrics.depthChanged(-1, entry.priority);
    entry.priority = priority;
    this.#fifos[priority].push(entry);
    this.#metrics.depthChanged(1, priority);
  }

  /** Removes and returns the next key. */
  shift(): QueueEntry | undefined {
    for (const priority of order) {
      const entry = this.#fifos[priority].shift();
      if (entry === undefined) continue;
      this.#size--;
      this.#metrics.depthChanged(-1, priority);
      return entry;
    }
    return undefined;
  }

  clear(): void {
    while (this.shift() !== undefined);
  }
}

/** The higher of two priorities. */
export function higher(one: Priority, other: Priority): Priority {
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}
