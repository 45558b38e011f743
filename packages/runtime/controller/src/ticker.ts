import type { Clock, Random, TimerHandle } from '@hawser/clock';

export interface TickerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ms: number;
  /** Share of `ms` by which a tick may come earlier, 0 to 1. */
  readonly jitter: number;
  readonly tick: () => void | Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Repeats a task, one run at a time. The interval counts from the end of a run. */
export class Ticker {
  readonly #options: TickerOptions;
  #timer: TimerHandle | undefined;
  #ticking: Promise<void> | undefined;
  #closed = false;

  constructor(options: TickerOptions) {
    this.#options = options;
    this.#arm();
  }

  /** Stops; resolves when no tick runs or will come. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#ticking;
  }

  #arm(): void {
    const { clock, random, ms, jitter } = this.#options;
    this.#timer = clock.setTimeout(
      () => {
        this.#ticking = this.#tick();
      },
      ms * (1 - jitter * random()),
    );
  }

  async #tick(): Promise<void> {
    const { tick, onError } = this.#options;
    try {
      await tick();
    } catch (error) {
      onError(error);
    }
    this.#ticking = undefined;
    if (!this.#closed) this.#arm();
  }
}
