import type { Clock, Random, TimerHandle } from '@hawser/clock';

export interface KeptWarmOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether connecting takes long enough to make an open connection worthwhile. */
  readonly isFar: () => boolean;
  /** Whether a watch is open: its events lead to writes. */
  readonly isWatched: () => boolean;
  /** Sends a small request. Never rejects. */
  readonly touch: () => Promise<unknown>;
}

/** Below the 30 s after which our own pools close an idle connection. */
const AT_MOST_MS = 25_000;
const AT_LEAST_MS = 20_000;

/**
 * Keeps one connection to a distant API server open while a watch is open there. A write after a rest then takes one
 * round trip; a new connection takes three more. Sends a small request after every 20 to 25 idle seconds, and nothing
 * where the server is near.
 */
export class KeptWarm {
  readonly #options: KeptWarmOptions;
  #timer: TimerHandle | undefined;
  #usedAt = 0;
  #isClosed = false;

  constructor(options: KeptWarmOptions) {
    this.#options = options;
  }

  /** A request was answered, or a watch has begun. */
  used(): void {
    this.#usedAt = this.#options.clock.monotonic();
    if (this.#timer === undefined) this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(): void {
    const { clock, random, isFar, isWatched } = this.#options;
    this.#timer = undefined;
    if (this.#isClosed || !isFar() || !isWatched()) return;
    const restMs = AT_LEAST_MS + random() * (AT_MOST_MS - AT_LEAST_MS);
    const leftMs = Math.max(0, this.#usedAt + restMs - clock.monotonic());
    this.#timer = clock.setTimeout(() => {
      void this.#look(restMs);
    }, leftMs);
  }

  async #look(restMs: number): Promise<void> {
    const { clock, isWatched, touch } = this.#options;
    if (isWatched() && clock.monotonic() - this.#usedAt >= restMs) {
      await touch();
      this.#usedAt = clock.monotonic();
    }
    this.#wait();
  }
}
