import type { Clock, TimerHandle } from './clock.js';

interface Entry {
  readonly at: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until it is told to move. Timers due at the same instant run in the order in which they were set.
 */
export class FakeClock implements Clock {
  #now: number;
  #sequence = 0;
  readonly #timers = new Set<Entry>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Timers that are set and have not run. A test asserts 0 to show that nothing leaks. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** When the pending timers are due. A test waits for one before it moves time: what is still at work would set it later. */
  get dueTimes(): readonly number[] {
    return [...this.#timers].map(({ at }) => at).sort((a, b) => a - b);
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const entry: Entry = { at: this.#now + Math.max(0, ms), sequence: this.#sequence++, callback };
    this.#timers.add(entry);
    return {
      cancel: () => {
        this.#timers.delete(entry);
      },
    };
  }

  /** Moves time forward by `ms`, running each due timer at its own instant and letting promise callbacks run in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /**
   * Lets `ms` pass while nothing runs, as a blocked event loop does. Timers that fell due meanwhile run at the next {@link advance}, late,
   * in the order of the times for which they were set.
   */
  stall(ms: number): void {
    this.#now += ms;
  }

  #next(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#timers) {
      if (first === undefined || entry.at < first.at || (entry.at === first.at && entry.sequence < first.sequence))
        first = entry;
    }
    return first;
  }
}

/** Lets everything run that is ready: promise callbacks and immediates. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}
