import type { Failed, Result } from './queue.js';

/** A delay that is not a number would be a retry without end: better a failure that somebody reads. */
export function checked(result: Result | Failed): Result | Failed {
  if (result.kind === 'requeue' && Number.isNaN(result.afterMs))
    throw new TypeError('a reconcile asked to be requeued after NaN ms');
  return result;
}
