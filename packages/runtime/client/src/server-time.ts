import type { Clock } from '@hawser/clock';

/**
 * Clock of an API server: the one of `creationTimestamp` and of the expiry of tokens.
 *
 * Until the server has sent its time, this is our own wall clock. Afterwards it is the server's last time plus the time
 * passed since; changes of our wall clock do not matter. Milliseconds since the epoch, exact to a second.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** A `Date` header that was not parsed yet, and its arrival (monotonic). */
  #heard: { readonly date: string; readonly at: number } | undefined;
  /** The server's clock minus our monotonic clock. */
  #ahead: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    if (this.#heard !== undefined) {
      const serverTime = Date.parse(this.#heard.date);
      if (!Number.isNaN(serverTime)) this.#ahead = serverTime - this.#heard.at;
      this.#heard = undefined;
    }
    return this.#ahead === undefined ? this.#clock.now() : this.#clock.monotonic() + this.#ahead;
  }

  /** Records the `Date` header of an answer that came just now. Parses it only when the time is read. */
  hear(date: string | undefined): void {
    if (date !== undefined) this.#heard = { date, at: this.#clock.monotonic() };
  }

  /** Records the server's time of this moment; undefined: the server did not send it. */
  learn(serverTime: number | undefined): void {
    if (serverTime === undefined) return;
    this.#heard = undefined;
    this.#ahead = serverTime - this.#clock.monotonic();
  }
}
