import type { Clock, TimerHandle } from './clock.js';

interface Entry {
  readonly at: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only by {@link advance} or {@link stall}. Timers due at the same instant run in the order in which
 * they were set.
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

  /** Number of pending timers. A test asserts 0 to show that nothing leaks. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /**
   * When the pending timers are due. A test waits for the timer before it moves time: running code may not have set it
   * yet.
   */
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

  /** Moves time forward by `ms`. Runs each due timer at its own instant, and promise callbacks in between. */
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
   * Lets `ms` pass while nothing runs, like a blocked event loop. Overdue timers run late, at the next {@link advance},
   * ordered by due time.
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

/** Runs everything that is ready: promise callbacks and immediates. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}
