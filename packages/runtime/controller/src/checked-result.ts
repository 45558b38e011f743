import type { Failed, Result } from './queue.js';

/** Turns an invalid delay (NaN), which would retry without end, into a failure; failures are logged. */
export function checked(result: Result | Failed): Result | Failed {
  if (result.kind === 'requeue' && Number.isNaN(result.afterMs))
    throw new TypeError('a reconcile asked to be requeued after NaN ms');
  return result;
}
