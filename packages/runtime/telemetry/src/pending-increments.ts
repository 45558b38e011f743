import type { Labels } from './metrics.js';

/**
 * Adds up the increments of one metric until somebody looks. Checking and joining labels costs more than most of what is counted, so callers that
 * count often pass the same label object each time, and only its first increment is checked at once.
 */
export class PendingIncrements {
  readonly #apply: (labels: Labels, by: number) => void;
  readonly #checked = new WeakSet<Labels>();
  readonly #sums = new Map<Labels, number>();

  /** `apply` adds at once, and throws for labels or amounts that the metric does not take. */
  constructor(apply: (labels: Labels, by: number) => void) {
    this.#apply = apply;
  }

  add(labels: Labels, by: number): void {
    const sum = this.#sums.get(labels);
    if (sum !== undefined) {
      this.#sums.set(labels, sum + by);
    } else if (this.#checked.has(labels)) {
      this.#sums.set(labels, by);
    } else {
      this.#apply(labels, by);
      this.#checked.add(labels);
    }
  }

  /** From now on the metric itself has everything. */
  flush(): void {
    for (const [labels, sum] of this.#sums) this.#apply(labels, sum);
    this.#sums.clear();
  }
}
