import type { ServerHost } from '../parts.js';

const firstRetryMs = 1000;
const longestRetryMs = 60_000;

/**
 * Queue of keys, each once, in order of arrival. Works on them in a later turn; reports failures and retries them with
 * back-off.
 */
export class Worklist {
  readonly #waiting = new Set<string>();
  readonly #retries = new Map<string, { failures: number; timer: { cancel(): void } }>();
  #turn: { cancel(): void } | undefined;
  #running = false;

  constructor(
    readonly host: ServerHost,
    readonly work: (key: string) => void,
  ) {}

  start(): void {
    this.#running = true;
    if (this.#waiting.size > 0) this.#schedule();
  }

  stop(): void {
    this.#running = false;
    this.#turn?.cancel();
    this.#turn = undefined;
    for (const { timer } of this.#retries.values()) timer.cancel();
    this.#retries.clear();
    this.#waiting.clear();
  }

  add(key: string): void {
    this.#waiting.add(key);
    if (this.#running) this.#schedule();
  }

  #schedule(): void {
    this.#turn ??= this.host.defer(() => {
      this.#turn = undefined;
      this.#drain();
    });
  }

  /** Keys added meanwhile wait for the next turn. */
  #drain(): void {
    const keys = [...this.#waiting];
    this.#waiting.clear();
    for (const key of keys) {
      try {
        this.work(key);
        this.#retries.get(key)?.timer.cancel();
        this.#retries.delete(key);
      } catch (error) {
        this.host.report(error);
        this.#retry(key);
      }
    }
  }

  #retry(key: string): void {
    const failures = (this.#retries.get(key)?.failures ?? 0) + 1;
    const delay = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs);
    this.#retries.get(key)?.timer.cancel();
    this.#retries.set(key, {
      failures,
      timer: this.host.defer(() => {
        this.add(key);
      }, delay),
    });
  }
}
