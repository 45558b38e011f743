import type { Outcome } from './reconciler.js';

export interface WriteBudgetOptions {
  /** Writes that may follow each other at once. */
  readonly burst: number;
  /** Milliseconds until one more write is allowed. */
  readonly refillMs: number;
}

/** Number of remembered keys from which on those with a full budget are forgotten. */
const SWEEP_AT = 1_024;

/** Tolerance for rounding in the sums below. */
const EXACT = 1e-6;

/**
 * Limits writes that changes in another cluster cause: a thousand changes a second there must not load this API server.
 * A reconcile without budget is requeued, and then writes the newest state.
 */
export class WriteBudget {
  readonly #options: WriteBudgetOptions;
  readonly #spent = new Map<string, { writes: number; atMs: number }>();
  #sweepAt = SWEEP_AT;

  constructor(options: WriteBudgetOptions = { burst: 10, refillMs: 2_000 }) {
    this.#options = options;
  }

  /** Milliseconds until `key` may be written; 0: now. `nowMs` is on the monotonic clock. */
  waitMs(key: string, nowMs: number): number {
    const spent = this.#current(key, nowMs);
    const over = spent + 1 - this.#options.burst;
    return over <= EXACT ? 0 : Math.ceil((over - EXACT) * this.#options.refillMs);
  }

  /**
   * Runs a write, which spends budget if it changed something. Without budget, ends the run and requeues it. `nowMs` is
   * on the monotonic clock.
   */
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
