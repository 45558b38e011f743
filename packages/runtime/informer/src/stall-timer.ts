import type { Clock, TimerHandle } from '@hawser/clock';

/** Calls back after a time without {@link heard}. A call costs a clock reading, not a timer. */
export class StallTimer {
  #heardAt: number;
  #limitMs: number;
  #timer: TimerHandle;

  constructor(
    private readonly clock: Clock,
    limitMs: number,
    private readonly onStall: () => void,
  ) {
    this.#heardAt = clock.monotonic();
    this.#limitMs = limitMs;
    this.#timer = this.#arm(limitMs);
  }

  /** Restarts the wait; with `limitMs`, uses that limit from now on. */
  heard(limitMs?: number): void {
    this.#heardAt = this.clock.monotonic();
    if (limitMs === undefined || limitMs === this.#limitMs) return;
    this.#limitMs = limitMs;
    this.#timer.cancel();
    this.#timer = this.#arm(limitMs);
  }

  cancel(): void {
    this.#timer.cancel();
  }

  #arm(ms: number): TimerHandle {
    return this.clock.setTimeout(() => {
      const leftMs = this.#heardAt + this.#limitMs - this.clock.monotonic();
      if (leftMs > 0) this.#timer = this.#arm(leftMs);
      else this.onStall();
    }, ms);
  }
}
