import type { Queue, QueueAddOptions, RunFunction } from 'p-queue';

/** What p-queue keeps its runs in, as its `queueClass`. Runs are all alike, so the last one is given out first: nothing has to be moved. */
export class RunStack implements Queue<RunFunction, QueueAddOptions> {
  readonly #runs: RunFunction[] = [];

  get size(): number {
    return this.#runs.length;
  }

  enqueue(run: RunFunction): void {
    this.#runs.push(run);
  }

  dequeue(): RunFunction | undefined {
    return this.#runs.pop();
  }

  filter(): RunFunction[] {
    return [...this.#runs];
  }

  setPriority(): never {
    throw new RangeError('runs are all alike, and have no priority');
  }

  remove(): never {
    throw new RangeError('runs are all alike, and cannot be taken out');
  }
}
