import { tooManyAsk } from './refused.js';

export interface QueueBounds {
  /** Pieces of work at a time. */
  readonly atOnce: number;
  /** That wait, of all askers together. */
  readonly waiting: number;
  /** That wait, of one asker. */
  readonly waitingOfOne: number;
}

/** Work of several askers, some at a time. Each asker has a queue of its own, and the queues take turns: one that asks much makes others wait for one turn, not for all that it asks. */
export class Queues {
  readonly #bounds: QueueBounds;
  /** The one whose turn it is first. None is empty. */
  readonly #queues = new Map<string, (() => void)[]>();
  #working = 0;
  #waiting = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Does the work when it is the asker's turn. @throws {Refused} 429 if too much waits already; as the work does */
  async take<T>(asker: string, work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#bounds.atOnce) this.#working++;
    // Who ends hands its place on, so the number stays.
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
