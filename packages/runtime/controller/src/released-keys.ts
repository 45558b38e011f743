import type { Clock, TimerHandle } from '@hawser/clock';
import type { QueueEntry } from './queue-entry.js';

/** Delay between two batches of released keys. */
const RELEASE_EVERY_MS = 200;

interface Released {
  readonly entry: QueueEntry;
  readonly waitedForServer: boolean;
}

/** Backing-off keys whose server works again, or whose obstacle is gone. Releases them a few at a time. */
export class ReleasedKeys {
  readonly #clock: Clock;
  readonly #release: () => void;
  #keys: Released[] = [];
  #timer: TimerHandle | undefined;

  /** `release` is called when the next batch is due. */
  constructor(clock: Clock, release: () => void) {
    this.#clock = clock;
    this.#release = release;
  }

  /** Whether a time for the next batch is set. */
  get isPaced(): boolean {
    return this.#timer !== undefined;
  }

  /** A server works again: adds the keys that wait for it. The longest-waiting go first. */
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

  /** The obstacle of these keys is gone. */
  add(entries: readonly QueueEntry[]): void {
    const now = this.#clock.monotonic();
    for (const entry of entries)
      if (mayGo({ entry, waitedForServer: false }, now)) this.#keys.push({ entry, waitedForServer: false });
  }

  /** The outage goes on, or has begun anew: its keys wait for its next end, or their own time. */
  outage(): void {
    if (this.#keys.length > 0) this.#keys = this.#keys.filter(({ waitedForServer }) => !waitedForServer);
  }

  /** Takes the next keys that may still go, at most `most`. */
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

  /** Sets the time for the next batch, if keys are left. */
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

/** Whether it still rests until a time of its own. A server's Retry-After stays. */
function mayGo({ entry, waitedForServer }: Released, now: number): boolean {
  if (entry.state !== 'resting' || entry.retryAt === Infinity || entry.notBefore > now) return false;
  return !waitedForServer || (entry.backingOff && entry.waitsForServer);
}
