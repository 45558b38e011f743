import { backoffDelay, type Clock, type Random } from '@hawser/clock';

/** So often in a row objects are read at once although the CRD has changed meanwhile. */
const freeReads = 3;
const pauses = { initialMs: 1_000, capMs: 300_000 };

interface Outdated {
  readonly times: number;
  /** On the monotonic clock. */
  readonly until: number;
}

/** Paces the reads of stored objects of CRDs that change faster than their objects are read. */
export class ReadPace {
  readonly #clock: Clock;
  readonly #random: Random;
  /** By export, then by resource. */
  readonly #outdated = new Map<string, Map<string, Outdated>>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds until the objects may be read again; 0: now. */
  waitMs(key: string, resource: string): number {
    const { until = 0 } = this.#outdated.get(key)?.get(resource) ?? {};
    return Math.max(0, until - this.#clock.monotonic());
  }

  /** The objects were read. `isCurrent`: against the schema that is still to flow. */
  wasRead(key: string, resource: string, isCurrent: boolean): void {
    const own = this.#outdated.get(key) ?? new Map<string, Outdated>();
    if (isCurrent) own.delete(resource);
    else {
      const times = (own.get(resource)?.times ?? 0) + 1;
      const pause = times < freeReads ? 0 : backoffDelay(pauses, times - freeReads + 1, this.#random);
      own.set(resource, { times, until: this.#clock.monotonic() + pause });
    }
    if (own.size === 0) this.#outdated.delete(key);
    else this.#outdated.set(key, own);
  }

  forget(key: string): void {
    this.#outdated.delete(key);
  }
}
