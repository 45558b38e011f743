import type { Outcome } from './reconciler.js';

export interface WriteBudgetOptions {
  /** Writes that may follow each other at once. */
  readonly burst: number;
  /** Milliseconds after which one more is allowed. */
  readonly refillMs: number;
}

/** So many keys are remembered before those that have all their budget are forgotten. */
const SWEEP_AT = 1_024;

/** What doubles lose in the sums below. */
const EXACT = 1e-6;

/**
 * How often something may be written because another cluster changes: one that changes what it says a thousand times a second must not make this one's API
 * server carry that out. A reconcile that runs out is requeued, and then writes what is true by then.
 */
export class WriteBudget {
  readonly #options: WriteBudgetOptions;
  readonly #spent = new Map<string, { writes: number; atMs: number }>();
  #sweepAt = SWEEP_AT;

  constructor(options: WriteBudgetOptions = { burst: 10, refillMs: 2_000 }) {
    this.#options = options;
  }

  /** Milliseconds until `key` may be written again; 0: now. `nowMs` is on the monotonic clock. */
  waitMs(key: string, nowMs: number): number {
    const spent = this.#current(key, nowMs);
    const over = spent + 1 - this.#options.burst;
    return over <= EXACT ? 0 : Math.ceil((over - EXACT) * this.#options.refillMs);
  }

  /** Carries out a write, which spends if it changed something. Out of budget the run ends, and comes back when there is some. `nowMs` is on the monotonic clock. */
  async pay(key: string, nowMs: number, write: () => Promise<boolean>): Promise<Outcome | undefined> {
    const waitMs = this.waitMs(key, nowMs);
    if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    if (await write()) this.spend(key, nowMs);
    return undefined;
  }

  spend(key: string, nowMs: number): void {
    this.#spent.set(key, { writes: this.#current(key, nowMs) + 1, atMs: nowMs });
    if (this.#spent.size < this.#sweepAt) return;
    for (const other of [...this.#spent.keys()]) this.#current(other, nowMs);
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#spent.size);
  }

  #current(key: string, nowMs: number): number {
    const spent = this.#spent.get(key);
    if (spent === undefined) return 0;
    const left = spent.writes - (nowMs - spent.atMs) / this.#options.refillMs;
    if (left > 0) return left;
    this.#spent.delete(key);
    return 0;
  }
}
