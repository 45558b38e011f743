import { setImmediate } from 'node:timers/promises';
import type { FakeClock } from '@hawser/clock';

/** Lets the event loop turn until `condition` holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await setImmediate();
  }
}

/** Waits for `promise`, and advances the clock whenever the request sleeps: it then has a timer beside its deadline. */
export async function drive<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  const state = { settled: false };
  const mark = (): void => {
    state.settled = true;
  };
  promise.then(mark, mark);
  const deadline = performance.now() + 20_000;
  for (;;) {
    await setImmediate();
    if (state.settled) return promise;
    if (performance.now() > deadline) throw new Error('the request does not end');
    if (clock.pendingTimers > 1) await clock.advance(50);
  }
}
