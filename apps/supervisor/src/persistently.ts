import { type BackoffOptions, backoffDelay, sleep } from '@hawser/clock';

import type { Work } from './elected.js';
import type { ProcessContext } from '@hawser/commands';

const RETRY: BackoffOptions = { initialMs: 500, capMs: 30_000 };

/** Work that fails before it is told to end is tried again, ever less often; the process goes on and says why. */
export function persistently(work: Work, { clock, random, logger }: ProcessContext): Work {
  return async (client, signal, mayWrite, shards) => {
    for (let failures = 1; ; failures++) {
      try {
        await work(client, signal, mayWrite, shards);
        return;
      } catch (error) {
        if (isOver(signal)) return;
        logger.error('could not start; it is tried again', { error, failures });
        await sleep(clock, backoffDelay(RETRY, failures, random), signal).catch(() => undefined);
        if (isOver(signal)) return;
      }
    }
  };
}

/** A signal changes while it is awaited, which the compiler does not see. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
