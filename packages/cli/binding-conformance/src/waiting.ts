import { messageOf } from '@hawser/client';
import { type Clock, sleep } from '@hawser/clock';
import { Deviation } from './check.js';

export interface Waiting {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Runs before each look. */
  readonly meanwhile: () => Promise<void>;
}

const everyMs = 200;

/**
 * The first value that `look` finds. An error counts as not found. @throws Deviation at the timeout, with the last
 * observation
 */
export async function until<T>(
  { clock, timeoutMs, signal, meanwhile }: Waiting,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const end = clock.monotonic() + timeoutMs;
  let last = '';
  for (;;) {
    signal.throwIfAborted();
    try {
      await meanwhile();
      const found = await look();
      if (found !== undefined) return found;
      last = '';
    } catch (error) {
      signal.throwIfAborted();
      last = messageOf(error);
    }
    if (clock.monotonic() >= end)
      throw new Deviation(`${what}: not after ${timeoutMs / 1_000} s${last === '' ? '' : `; ${last}`}`);
    await sleep(clock, everyMs, signal);
  }
}

/** Watches that long for a wrong state. @throws Deviation with the text of `look` */
export async function never(
  { clock, signal, meanwhile }: Waiting,
  forMs: number,
  look: () => Promise<string | undefined>,
): Promise<void> {
  const end = clock.monotonic() + forMs;
  do {
    await meanwhile();
    const wrong = await look();
    if (wrong !== undefined) throw new Deviation(wrong);
    await sleep(clock, everyMs, signal);
  } while (clock.monotonic() < end);
}
