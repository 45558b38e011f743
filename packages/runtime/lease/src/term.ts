import type { Clock, TimerHandle } from '@hawser/clock';
import { LeaseError } from './lease-error.js';

/** A moment on both clocks: the monotonic one may stand still while the machine sleeps, the wall clock may be set back. */
export interface Instant {
  readonly monotonic: number;
  readonly epoch: number;
}

export function instant(clock: Clock): Instant {
  return { monotonic: clock.monotonic(), epoch: clock.now() };
}

/** What passed since then by the clock that says more: leading for too short a time is safe, for too long it is not. */
export function elapsedMs(clock: Clock, since: Instant): number {
  return Math.max(clock.monotonic() - since.monotonic, clock.now() - since.epoch);
}

/** How often to look whether the event loop was blocked: so many times in the longest term, every quarter of a second by default. */
const looksPerTerm = 40;

/**
 * One term of leadership, which ends by itself when it is not extended in time.
 *
 * After a blocked event loop timers run late, in the order of the times for which they were set, so work that was due earlier would run before the
 * deadline's own timer. Two things are done about it. A ticker that is due so often comes early in that order and looks at the deadline. And
 * `signal.aborted` itself looks at the clock whenever it is read: whoever reads it, as a client does before each write, learns the truth even if nothing else has
 * run since the loop woke up.
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

  /** The lease was renewed by a request sent then. Too late if the deadline has passed meanwhile: others may have acted on it. */
  extend(renewedAt: Instant): void {
    if (this.ended) return;
    this.#renewedAt = renewedAt;
    this.#armDeadline();
  }

  /** The first reason counts. */
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
