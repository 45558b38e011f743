import type { Clock, TimerHandle } from '@hawser/clock';

/** Why a request ended before its answer. */
export type Ending =
  { readonly code: 'Aborted'; readonly cause: unknown } | { readonly code: 'Timeout'; readonly timeoutMs: number };

/** Rejects the current wait of a request when its scope ends. */
export class ScopeEndedError extends Error {
  override readonly name = 'ScopeEndedError';

  constructor(readonly ending: Ending) {
    super(ending.code);
  }
}

/**
 * Lifetime of one request with its retries. Ends with the first of: one of the caller's signals, the deadline, the
 * closing of the client. The wait of that moment is then called off and rejects at once.
 */
export class RequestScope {
  readonly #signals: readonly AbortSignal[];
  readonly #onDispose: (scope: RequestScope) => void;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #deadline: number;
  #timer: TimerHandle | undefined;
  #ending: Ending | undefined;
  #interrupt: ((ending: Ending) => void) | undefined;

  constructor(
    clock: Clock,
    signals: readonly (AbortSignal | undefined)[],
    timeoutMs: number,
    onDispose: (scope: RequestScope) => void,
  ) {
    this.#signals = signals.filter((signal) => signal !== undefined);
    this.#onDispose = onDispose;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#deadline = clock.monotonic() + timeoutMs;
    for (const signal of this.#signals) {
      if (signal.aborted) this.end({ code: 'Aborted', cause: signal.reason });
      else signal.addEventListener('abort', this.#onAbort);
    }
    if (this.#ending === undefined) {
      this.#timer = clock.setTimeout(() => {
        this.end({ code: 'Timeout', timeoutMs });
      }, timeoutMs);
    }
  }

  readonly #onAbort = (event: Event): void => {
    this.end({ code: 'Aborted', cause: (event.target as AbortSignal).reason });
  };

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /**
   * Whether the scope has ended. Reads the signals and the clock itself: after a machine stood still, callbacks run in
   * the order of their deadlines. A request could otherwise go out before the process learns that its lease is over.
   */
  get over(): boolean {
    const aborted = this.#ending === undefined ? this.#signals.find((signal) => signal.aborted) : undefined;
    if (aborted !== undefined) this.end({ code: 'Aborted', cause: aborted.reason });
    else if (this.#timer !== undefined && this.#clock.monotonic() >= this.#deadline)
      this.end({ code: 'Timeout', timeoutMs: this.#timeoutMs });
    return this.#ending !== undefined;
  }

  /** Whether time is left after waiting `ms`. */
  lasts(ms: number): boolean {
    return this.#clock.monotonic() + ms < this.#deadline;
  }

  /** Ends the scope; only the first call counts. */
  end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    const interrupt = this.#interrupt;
    this.dispose();
    interrupt?.(ending);
  }

  /** Waits for the outcome of `start`, which returns a function that calls it off. One wait at a time. */
  during<T>(start: (resolve: (value: T) => void, reject: (error: Error) => void) => () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.over && this.#ending !== undefined) {
        reject(new ScopeEndedError(this.#ending));
        return;
      }
      let settled = false;
      const settle =
        <V>(finish: (value: V) => void) =>
        (value: V): void => {
          if (settled) return;
          settled = true;
          this.#interrupt = undefined;
          finish(value);
        };
      const fail = settle<Error>(reject);
      let callOff: (() => void) | undefined;
      this.#interrupt = (ending) => {
        fail(new ScopeEndedError(ending));
        callOff?.();
      };
      try {
        callOff = start(settle(resolve), fail);
      } catch (error) {
        fail(error as Error);
      }
    });
  }

  /** For work that outlives the deadline: calls `listener` when the scope ends, at once if it has ended. */
  onEnd(listener: (ending: Ending) => void): void {
    if (this.#ending !== undefined) listener(this.#ending);
    else this.#interrupt = listener;
  }

  /** Cancels the deadline. */
  clearTimeout(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Releases the timer and the listeners. Idempotent. */
  dispose(): void {
    this.clearTimeout();
    this.#interrupt = undefined;
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
    this.#onDispose(this);
  }
}
