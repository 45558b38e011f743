import type { Labels } from './metrics.js';

/**
 * Sums the increments of one metric until it is read. Checking and joining labels costs more than most counted work. So
 * frequent callers pass the same label object each time, and only its first increment is checked at once.
 */
export class PendingIncrements {
  readonly #apply: (labels: Labels, by: number) => void;
  readonly #checked = new WeakSet<Labels>();
  readonly #sums = new Map<Labels, number>();

  /** `apply` adds at once, and throws for invalid labels or amounts. */
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

  /** Moves all pending increments into the metric. */
  flush(): void {
    for (const [labels, sum] of this.#sums) this.#apply(labels, sum);
    this.#sums.clear();
  }
}
