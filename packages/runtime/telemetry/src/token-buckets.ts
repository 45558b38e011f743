import type { Clock } from '@hawser/clock';

export interface TokenBucketOptions {
  /** Tokens at the start, and maximum. */
  readonly burst: number;
  /** Milliseconds in which one token returns. */
  readonly refillMs: number;
  /** Limit of buckets; the least recently used is dropped first. */
  readonly maxBuckets: number;
}

/** A token bucket per key. Needs no timer: computes the refill on access. */
export class TokenBuckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #clock: Clock;
  readonly #options: TokenBucketOptions;

  constructor(clock: Clock, options: TokenBucketOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Takes a token; false: there was none. */
  take(key: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#options.burst, at: now };
    bucket.tokens = Math.min(this.#options.burst, bucket.tokens + (now - bucket.at) / this.#options.refillMs);
    bucket.at = now;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens--;
    // Reinsert: the map is in order of use.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#options.maxBuckets) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return allowed;
  }
}
