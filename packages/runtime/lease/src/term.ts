import type { Clock, TimerHandle } from '@hawser/clock';
import { LeaseError } from './lease-error.js';

/**
 * A moment on both clocks: the monotonic one may stand still while the machine sleeps, the wall clock may be set back.
 */
export interface Instant {
  readonly monotonic: number;
  readonly epoch: number;
}

export function instant(clock: Clock): Instant {
  return { monotonic: clock.monotonic(), epoch: clock.now() };
}

/** Time passed, by the clock that shows more: leading for too short a time is safe, for too long it is not. */
export function elapsedMs(clock: Clock, since: Instant): number {
  return Math.max(clock.monotonic() - since.monotonic, clock.now() - since.epoch);
}

/** Checks for a blocked event loop in the longest term: every quarter of a second by default. */
const looksPerTerm = 40;

/**
 * One term of leadership. Ends by itself unless it is extended in time.
 *
 * After a blocked event loop timers run late, ordered by due time. Earlier work would then run before the deadline's
 * own timer. Two measures prevent that. A frequent ticker comes early in that order and checks the deadline. And
 * reading `signal.aborted` checks the clock. So a client that reads it before each write learns the truth, even if
 * nothing else has run since the loop woke up.
 */
export class Term {
  readonly #abort = new AbortController();
  readonly #clock: Clock;
  readonly #renewDeadlineMs: number;
  #renewedAt: Instant;
  #reason: LeaseError | undefined;
  #deadlineTimer: TimerHandle | undefined;
  #ticker: TimerHandle | undefined;

  /** `acquiredAt`: when the request that acquired the lease was sent. */
  constructor(clock: Clock, renewDeadlineMs: number, acquiredAt: Instant) {
    this.#clock = clock;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#renewedAt = acquiredAt;
    const { signal } = this.#abort;
    Object.defineProperty(signal, 'aborted', { get: () => this.ended });
    Object.defineProperty(signal, 'throwIfAborted', {
      value: () => {
        this.assertLeading();
      },
    });
    this.#armDeadline();
    this.#tick();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get renewedAt(): Instant {
    return this.#renewedAt;
  }

  get reason(): LeaseError | undefined {
    return this.#reason;
  }

  /** Whether it is over; ends it first if its time is up. */
  get ended(): boolean {
    this.#check();
    return this.#reason !== undefined;
  }

  assertLeading(): void {
    this.#check();
    if (this.#reason !== undefined) throw this.#reason;
  }

  /**
   * Extends the term by a renewal sent at `renewedAt`. Has no effect after the deadline: others may have acted on it.
   */
  extend(renewedAt: Instant): void {
    if (this.ended) return;
    this.#renewedAt = renewedAt;
    this.#armDeadline();
  }

  /** Ends the term; the first reason counts. */
  end(reason: LeaseError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#deadlineTimer?.cancel();
    this.#ticker?.cancel();
    this.#abort.abort(reason);
  }

  #check(): void {
    if (this.#reason !== undefined || elapsedMs(this.#clock, this.#renewedAt) < this.#renewDeadlineMs) return;
    this.end(new LeaseError('RenewDeadlinePassed', `the lease was not renewed for ${this.#renewDeadlineMs} ms`));
  }

  #armDeadline(): void {
    this.#deadlineTimer?.cancel();
    const left = this.#renewDeadlineMs - elapsedMs(this.#clock, this.#renewedAt);
    this.#deadlineTimer = this.#clock.setTimeout(
      () => {
        this.#check();
      },
      Math.max(0, left),
    );
  }

  #tick(): void {
    if (this.ended) return;
    this.#ticker = this.#clock.setTimeout(() => {
      this.#tick();
    }, this.#renewDeadlineMs / looksPerTerm);
  }
}
