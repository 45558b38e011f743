import type { Clock, TimerHandle } from '@hawser/clock';

/** Calls back when nothing has been heard for a while. Hearing costs a clock reading, not a timer. */
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

  /** Starts the wait anew, from now on for `limitMs` if given. */
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
