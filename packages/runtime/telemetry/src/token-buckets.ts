import type { Clock } from '@hawser/clock';

export interface TokenBucketOptions {
  /** Tokens at the start, and at most. */
  readonly burst: number;
  /** Time in which one token comes back. */
  readonly refillMs: number;
  /** Buckets that are remembered; the one unused for longest goes first. */
  readonly maxBuckets: number;
}

/** A token bucket per key. Needs no timer: what came back is worked out when it is asked for. */
export class TokenBuckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #clock: Clock;
  readonly #options: TokenBucketOptions;

  constructor(clock: Clock, options: TokenBucketOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Whether there was a token; it is gone then. */
  take(key: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#options.burst, at: now };
    bucket.tokens = Math.min(this.#options.burst, bucket.tokens + (now - bucket.at) / this.#options.refillMs);
    bucket.at = now;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens--;
    // Last in, last out: the map is in order of use.
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
