import type { StatusError as StatusErrorType } from '@hawser/apiserver';
import { StatusError } from '@hawser/apiserver';
import type { Clock, TimerHandle } from '@hawser/clock';

/** Queue of keys to reconcile, each in its own turn. Retries conflicts with other writers. */
export class Work<T> {
  readonly #clock: Clock;
  readonly #run: (item: T) => void;
  readonly #report: (error: unknown) => void;
  readonly #timers = new Map<string, TimerHandle>();
  #stopped = false;

  constructor(clock: Clock, run: (item: T) => void, report: (error: unknown) => void) {
    this.#clock = clock;
    this.#run = run;
    this.#report = report;
  }

  add(key: string, item: T, delayMs = 0): void {
    if (this.#stopped || this.#timers.has(key)) return;
    this.#timers.set(
      key,
      this.#clock.setTimeout(() => {
        this.#timers.delete(key);
        try {
          this.#run(item);
        } catch (error) {
          if (isConflict(error)) this.add(key, item, RETRY_MS);
          else this.#report(error);
        }
      }, delayMs),
    );
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}

const RETRY_MS = 10;

const isConflict = (error: unknown): error is StatusErrorType =>
  error instanceof StatusError && (error.code === 409 || error.code === 404);
