import type { Clock } from '@hawser/clock';

/**
 * What the API server's clock says, which is the one that tokens expire by. Until the server has said anything, our own wall clock; from then on what it said last and the time that has
 * passed since, whatever becomes of our wall clock. Milliseconds since the epoch, exact to a second.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** The server's clock less our monotonic one. */
  #ahead: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#ahead === undefined ? this.#clock.now() : this.#clock.monotonic() + this.#ahead;
  }

  /** The server said just now what time it is; undefined: it did not. */
  learn(said: number | undefined): void {
    if (said !== undefined) this.#ahead = said - this.#clock.monotonic();
  }
}
