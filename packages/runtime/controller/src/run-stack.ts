import type { Queue, QueueAddOptions, RunFunction } from 'p-queue';

/** The `queueClass` of p-queue. All runs are alike, so it takes the last one first: nothing has to be moved. */
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
