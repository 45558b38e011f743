import { type Clock, systemClock } from '@hawser/clock';

/** The machine's clock, with a count of its set timers. */
export class CountingClock implements Clock {
  #pending = 0;

  get pendingTimers(): number {
    return this.#pending;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  setTimeout(callback: () => void, ms: number): ReturnType<Clock['setTimeout']> {
    let set = true;
    const done = (): void => {
      if (set) this.#pending--;
      set = false;
    };
    this.#pending++;
    const timer = systemClock.setTimeout(() => {
      done();
      callback();
    }, ms);
    return {
      cancel: () => {
        timer.cancel();
        done();
      },
    };
  }
}
