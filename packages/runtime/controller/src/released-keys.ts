import type { Clock, TimerHandle } from '@hawser/clock';
import type { QueueEntry } from './queue-entry.js';

/** Between two lots of keys that waited for a server that works again. */
const RELEASE_EVERY_MS = 200;

interface Released {
  readonly entry: QueueEntry;
  readonly waitedForServer: boolean;
}

/** Keys that back off, and waited for a server that works again, or for something else that is there. They are let go a few at a time. */
export class ReleasedKeys {
  readonly #clock: Clock;
  readonly #release: () => void;
  #keys: Released[] = [];
  #timer: TimerHandle | undefined;

  /** `release`: told when it is time for the next ones. */
  constructor(clock: Clock, release: () => void) {
    this.#clock = clock;
    this.#release = release;
  }

  /** Whether the next ones go at a time that is set already. */
  get isPaced(): boolean {
    return this.#timer !== undefined;
  }

  /** A server works again: of all keys those that waited for it come first, the longest-waiting before the others. */
  recovered(entries: readonly QueueEntry[]): void {
    const waiting = entries
      .filter((entry) => entry.backingOff && entry.waitsForServer)
      .sort((a, b) => a.waitingSince - b.waitingSince);
    this.#keys = [
      ...waiting.map((entry) => ({ entry, waitedForServer: true })),
      ...this.#keys.filter(({ waitedForServer }) => !waitedForServer),
    ];
    this.#timer?.cancel();
  }

  /** What these waited for is there. */
  add(entries: readonly QueueEntry[]): void {
    const now = this.#clock.monotonic();
    for (const entry of entries)
      if (mayGo({ entry, waitedForServer: false }, now)) this.#keys.push({ entry, waitedForServer: false });
  }

  /** The outage is not over, or has begun anew: those that waited for its end wait for the next one, or their own time. */
  outage(): void {
    if (this.#keys.length > 0) this.#keys = this.#keys.filter(({ waitedForServer }) => !waitedForServer);
  }

  /** The next ones that may still go, one after the other: at most so many. */
  *take(most: number): Iterable<QueueEntry> {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let free = most; free > 0;) {
      const released = this.#keys.shift();
      if (released === undefined) return;
      if (!mayGo(released, now)) continue;
      free--;
      yield released.entry;
    }
  }

  /** Sets the time for the next ones, if there are any. */
  pace(): void {
    if (this.#keys.length > 0)
      this.#timer = this.#clock.setTimeout(() => {
        this.#release();
      }, RELEASE_EVERY_MS);
  }

  clear(): void {
    this.#timer?.cancel();
    this.#keys = [];
  }
}

/** Whether it still rests until a time of its own. What a server has asked for stays. */
function mayGo({ entry, waitedForServer }: Released, now: number): boolean {
  if (entry.state !== 'resting' || entry.retryAt === Infinity || entry.notBefore > now) return false;
  return !waitedForServer || (entry.backingOff && entry.waitsForServer);
}
