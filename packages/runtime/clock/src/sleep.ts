import type { Clock } from './clock.js';

/**
 * Resolves after `ms` milliseconds of `clock`. Rejects with the signal's reason as soon as `signal` aborts, and leaves
 * no timer behind then.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(asError(signal.reason));
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(asError(signal?.reason));
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
