import { type Clock, sleep, systemClock } from '@hawser/clock';
import { TestenvError } from './testenv-error.js';

export interface EventuallyOptions {
  /** Default 30 s: only a check that never holds waits that long, and a busy machine is slow. */
  readonly timeoutMs?: number;
  /** Time between two checks. Default 20 ms. */
  readonly intervalMs?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * Waits until `check` holds and returns its result. A check that throws, or returns `false`, does not hold yet; so it
 * may consist of `expect` calls alone.
 * @throws TestenvError `timeout` after `timeoutMs`, with the last check's error as its message and cause.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false>> {
  const clock = options.clock ?? systemClock;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const end = clock.monotonic() + timeoutMs;
  for (let checks = 1; ; checks++) {
    let failure: unknown = 'the condition is false';
    try {
      const answer = await check();
      if (answer !== false) return answer as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    if (clock.monotonic() >= end) {
      const words = failure instanceof Error ? failure.message : String(failure);
      throw new TestenvError('timeout', `not after ${timeoutMs} ms and ${checks} checks; the last one said: ${words}`, {
        cause: failure,
      });
    }
    await sleep(clock, options.intervalMs ?? 20);
  }
}
