import type { Clock } from '@hawser/clock';
import { Refusal } from './answer.js';
import { type Person, identityOf } from './person.js';

const WINDOW_MS = 60_000;
/** Maximum number of people per minute: beyond it the oldest counts restart. */
const MOST_PEOPLE = 10_000;

interface Window {
  readonly until: number;
  count: number;
}

/** Counts one person's requests from any address. Each replica counts for itself. */
export class SubjectLimit {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** @throws {Refusal} for one request too many in a minute */
  count(person: Person): void {
    const key = identityOf(person);
    const now = this.#clock.monotonic();
    let window = this.#windows.get(key);
    if (window === undefined || window.until <= now) {
      window = { until: now + WINDOW_MS, count: 0 };
      this.#windows.delete(key);
      this.#windows.set(key, window);
      this.#forget(now);
    }
    window.count++;
    if (window.count > this.#perMinute)
      throw new Refusal(429, 'BAD_REQUEST', 'Too many requests of yours. Wait a minute and try again.', {
        'retry-after': String(Math.ceil((window.until - now) / 1_000)),
      });
  }

  /** Windows are in order of their start. */
  #forget(now: number): void {
    for (const [oldest, { until }] of this.#windows) {
      if (until > now && this.#windows.size <= MOST_PEOPLE) break;
      this.#windows.delete(oldest);
    }
  }
}
