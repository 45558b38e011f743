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

/** The clock of the machine. Its timers do not keep the process alive on their own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => { clearTimeout(timer); } };
  },
};
