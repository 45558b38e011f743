import type { Failed, Result } from './queue.js';

/** A delay of NaN would retry without end. So it counts as a failure, which is logged. */
export function checked(result: Result | Failed): Result | Failed {
  if (result.kind === 'requeue' && Number.isNaN(result.afterMs))
    throw new TypeError('a reconcile asked to be requeued after NaN ms');
  return result;
}
