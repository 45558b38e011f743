import { type BackoffOptions, backoffDelay, sleep } from '@hawser/clock';

import type { Work } from './elected.js';
import type { ProcessContext } from '@hawser/commands';

const RETRY: BackoffOptions = { initialMs: 500, capMs: 30_000 };

/** Restarts work that fails before its signal aborts, with back-off; the process stays up and logs the reason. */
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

/** A signal changes during an await, which the compiler does not see. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
