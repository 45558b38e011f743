import type { Clock } from '@hawser/clock';

/**
 * Clock of an API server: the one that `creationTimestamp` and the expiry of tokens go by.
 *
 * Before the server has told its time, this is our own wall clock. Afterwards it is the server's last word plus the time that has passed since; changes of our wall clock do not matter.
 * Milliseconds since the epoch, exact to a second.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** A `Date` header that nobody has asked about yet, and when it came (monotonic). */
  #heard: { readonly date: string; readonly at: number } | undefined;
  /** The server's clock less our monotonic one. */
  #ahead: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    if (this.#heard !== undefined) {
      const said = Date.parse(this.#heard.date);
      if (!Number.isNaN(said)) this.#ahead = said - this.#heard.at;
      this.#heard = undefined;
    }
    return this.#ahead === undefined ? this.#clock.now() : this.#clock.monotonic() + this.#ahead;
  }

  /** The server answered just now, with this `Date` header. Headers are parsed only when the time is asked for. */
  hear(date: string | undefined): void {
    if (date !== undefined) this.#heard = { date, at: this.#clock.monotonic() };
  }

  /** The server said just now what time it is; undefined: it did not. */
  learn(said: number | undefined): void {
    if (said === undefined) return;
    this.#heard = undefined;
    this.#ahead = said - this.#clock.monotonic();
  }
}
