import type { Clock } from '@hawser/clock';
import PQueue from 'p-queue';
import type { RequestScope } from './request-scope.js';

export interface LimiterOptions {
  readonly clock: Clock;
  /** Requests in flight at a time. */
  readonly concurrency: number;
  /** Requests per second on average. Absent: no limit. */
  readonly qps?: number | undefined;
  /** Requests that may start at once before `qps` limits them. */
  readonly burst?: number | undefined;
}

/** Limits requests in flight and, optionally, per second. First come, first served. */
export class Limiter {
  readonly #options: LimiterOptions;
  /** Each task holds a slot until its request releases it. */
  readonly #slots: PQueue;
  #inFlight = 0;
  /** When the token bucket is full again, on the monotonic clock. */
  #fullAt = 0;

  constructor(options: LimiterOptions) {
    this.#options = options;
    this.#slots = new PQueue({ concurrency: options.concurrency });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves with the function that releases the slot. */
  async acquire(scope: RequestScope): Promise<() => void> {
    await this.#pace(scope);
    return scope.during<() => void>((resolve) => {
      let isCalledOff = false;
      void this.#slots.add(async () => {
        if (isCalledOff) return;
        this.#inFlight++;
        let isHeld = true;
        const released = Promise.withResolvers<undefined>();
        resolve(() => {
          if (!isHeld) return;
          isHeld = false;
          this.#inFlight--;
          released.resolve(undefined);
        });
        await released.promise;
      });
      return () => {
        isCalledOff = true;
      };
    });
  }

  async #pace(scope: RequestScope): Promise<void> {
    const { clock, qps, burst } = this.#options;
    if (qps === undefined) return;
    const now = clock.monotonic();
    const interval = 1000 / qps;
    this.#fullAt = Math.max(this.#fullAt, now) + interval;
    const wait = this.#fullAt - now - interval * Math.max(1, burst ?? qps);
    if (wait > 0) await pause(clock, wait, scope);
  }
}

/** Waits, no longer than the scope lasts. */
export function pause(clock: Clock, ms: number, scope: RequestScope): Promise<undefined> {
  return scope.during<undefined>((resolve) => {
    const timer = clock.setTimeout(() => {
      resolve(undefined);
    }, ms);
    return () => {
      timer.cancel();
    };
  });
}
