import { sentence } from '@hawser/client';
import type { Clock } from '@hawser/clock';

import type { ConnectionFailure } from './controller-set.js';

interface Deadline {
  readonly clock: Clock;
  /** Time limit. */
  readonly prepareTimeoutMs: number;
  /** Ends it early. */
  readonly interrupted: AbortSignal;
}

/**
 * Prepares a controller set. Resolves to the reason of a failure, at the latest at the time limit or the interruption.
 */
export async function prepareInTime(
  prepare: (signal: AbortSignal) => Promise<void>,
  { clock, prepareTimeoutMs, interrupted }: Deadline,
): Promise<ConnectionFailure | undefined> {
  const timeout = new AbortController();
  const timer = clock.setTimeout(() => {
    timeout.abort();
  }, prepareTimeoutMs);
  try {
    const signal = AbortSignal.any([interrupted, timeout.signal]);
    await Promise.race([
      prepare(signal),
      whenAborted(signal).then(() => {
        throw new Error('aborted');
      }),
    ]);
    return undefined;
  } catch (error) {
    if (timeout.signal.aborted)
      return {
        reason: 'InformerSyncTimeout',
        message: `The caches of the provider were not filled within ${Math.round(prepareTimeoutMs / 1000)} s.`,
      };
    return { reason: 'InformerSyncFailed', message: causeOf(error) };
  } finally {
    timer.cancel();
  }
}

/** Starts the controllers of a set. The set's signal ends with the start: `stop` ends running controllers in order. */
export async function startInTime(
  run: (signal: AbortSignal) => Promise<void>,
  { clock, prepareTimeoutMs, interrupted }: Deadline,
): Promise<void> {
  const starting = new AbortController();
  const abort = (): void => {
    starting.abort();
  };
  interrupted.addEventListener('abort', abort, { once: true });
  const timer = clock.setTimeout(abort, prepareTimeoutMs);
  try {
    await Promise.race([
      run(starting.signal),
      whenAborted(starting.signal).then(() => {
        throw new Error(`The controllers did not start within ${Math.round(prepareTimeoutMs / 1000)} s.`);
      }),
    ]);
  } finally {
    timer.cancel();
    interrupted.removeEventListener('abort', abort);
  }
}

/** A function: the compiler would otherwise reuse the last result. */
export const isOver = (signal: AbortSignal): boolean => signal.aborted;

export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve(undefined);
        },
        { once: true },
      );
  });
}

export function causeOf(error: unknown): string {
  return error instanceof Error ? sentence(error.message) : 'The controllers ended.';
}
