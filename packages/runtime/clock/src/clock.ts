/** A pending timer. */
export interface TimerHandle {
  /** Cancels the timer. Idempotent; does nothing once the callback has run. */
  cancel(): void;
}

/** The only source of time in Hawser. Code that waits takes a clock, so tests drive time and never sleep. */
export interface Clock {
  /**
   * Milliseconds since the epoch. May jump when the machine's clock is set; use {@link Clock.monotonic} for durations.
   */
  now(): number;
  /** Milliseconds from an arbitrary origin; never runs backwards. */
  monotonic(): number;
  /** Runs `callback` once, not before `ms` milliseconds from now. */
  setTimeout(callback: () => void, ms: number): TimerHandle;
}

/** Longest delay of a platform timer; with a longer one it fires at once. */
const longestMs = 2 ** 31 - 1;

/**
 * The clock of the machine. A pending timer keeps the process alive: a process that waits for a retry must not exit. So
 * cancel a timer that is no longer needed.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    const due = performance.now() + (ms > 0 ? ms : 0);
    let timer: NodeJS.Timeout;
    // The platform rounds down and may fire a millisecond early: wait for the rest.
    const wait = (left: number): void => {
      timer = setTimeout(
        () => {
          const remaining = due - performance.now();
          if (remaining > 0) wait(remaining);
          else callback();
        },
        Math.min(Math.ceil(left), longestMs),
      );
    };
    wait(ms > 0 ? ms : 0);
    return {
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
};
