/** A timer that has been set and can still be called off. */
export interface TimerHandle {
  /** Idempotent; does nothing once the callback has run. */
  cancel(): void;
}

/**
 * The only source of time in Hawser. Everything that waits takes one, so that tests drive time themselves and never sleep.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump when the machine's clock is set; use {@link Clock.monotonic} for durations. */
  now(): number;
  /** Milliseconds from an arbitrary origin; never runs backwards. */
  monotonic(): number;
  /** Runs `callback` once, not before `ms` milliseconds from now. */
  setTimeout(callback: () => void, ms: number): TimerHandle;
}

/** The longest delay that a timer of the platform takes; with a longer one it fires at once. */
const longestMs = 2 ** 31 - 1;

/**
 * The clock of the machine. A pending timer keeps the process alive, so that one that only waits for its next try does not simply end:
 * whoever sets a timer cancels it when it is no longer wanted.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    const due = performance.now() + (ms > 0 ? ms : 0);
    let timer: NodeJS.Timeout;
    // The platform cuts fractions off and may be a millisecond early: what is left is waited for again.
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
