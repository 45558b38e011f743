import type { Clock, FakeClock, TimerHandle } from '@hawser/clock';

/** The time of one process. A test can freeze it while others go on: its timers run at the thaw, late and in order. */
export class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  #frozen = false;
  #late: (() => void)[] = [];

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    let cancelled = false;
    const timer = this.#clock.setTimeout(() => {
      this.run(() => {
        if (!cancelled) callback();
      });
    }, ms);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  /** Runs it now, or when the process thaws. */
  run(callback: () => void): void {
    if (this.#frozen) this.#late.push(callback);
    else callback();
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    const late = this.#late;
    this.#late = [];
    for (const callback of late) callback();
  }
}
