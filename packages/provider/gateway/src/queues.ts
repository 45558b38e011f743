import { tooManyAsk } from './refused.js';

export interface QueueBounds {
  /** Concurrent pieces of work. */
  readonly atOnce: number;
  /** Waiting pieces of all callers together. */
  readonly waiting: number;
  /** Waiting pieces of one caller. */
  readonly waitingOfOne: number;
}

/**
 * Limits concurrent work of several callers. Each caller has its own queue, and the queues take turns: a busy caller
 * delays others by one turn, not by its whole queue.
 */
export class Queues {
  readonly #bounds: QueueBounds;
  /** The next queue first. None is empty. */
  readonly #queues = new Map<string, (() => void)[]>();
  #working = 0;
  #waiting = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Runs the work at the caller's turn. @throws {Refused} 429 if too much waits already; as the work does */
  async take<T>(asker: string, work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#bounds.atOnce) this.#working++;
    // Finished work hands its place on, so the number stays.
    else await this.#turn(asker);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(asker: string): Promise<void> {
    const queue = this.#queues.get(asker) ?? [];
    if (this.#waiting >= this.#bounds.waiting || queue.length >= this.#bounds.waitingOfOne) throw tooManyAsk();
    this.#queues.set(asker, queue);
    this.#waiting++;
    return new Promise((resolve) => queue.push(resolve));
  }

  #next(): void {
    for (const [asker, queue] of this.#queues) {
      const begin = queue.shift();
      this.#queues.delete(asker);
      if (queue.length > 0) this.#queues.set(asker, queue);
      if (begin === undefined) continue;
      this.#waiting--;
      begin();
      return;
    }
    this.#working--;
  }
}
