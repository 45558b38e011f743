import { type Clock, sleep } from '@hawser/clock';
import { type Metrics, noMetrics } from '@hawser/telemetry';

/** Whether anything is going on in controllers that are to be left alone until they have done all that they can do. */
export interface Activity {
  /** For the controllers: their queues tell here what runs. Counts nothing else. */
  readonly metrics: Metrics;
  readonly onRequest: (by: 1 | -1) => void;
  /**
   * Resolves once nothing has run and no request has been out for a while, and `concluded` says so; or, to `false`, once nothing has come forward for long
   * although it does not: then something is waited for that does not come.
   */
  settled(concluded: () => boolean, signal: AbortSignal): Promise<boolean>;
}

/** Between the answer to a request and what a controller makes of it there is less than this. */
const QUIET_MS = 250;
const PATIENCE_MS = 8_000;
const STEP_MS = 20;

export function createActivity(clock: Clock): Activity {
  let running = 0;
  let requests = 0;
  let lastChange = clock.monotonic();
  let lastProgress = clock.monotonic();
  const changed = (): void => {
    lastChange = clock.monotonic();
  };
  const metrics: Metrics = {
    ...noMetrics,
    // Observed once for each reconcile, by every queue: when it begins, and when it ends.
    histogram: ({ name }) => ({
      observe: () => {
        if (name !== 'workqueue_queue_duration_seconds' && name !== 'workqueue_work_duration_seconds') return;
        running += name === 'workqueue_queue_duration_seconds' ? 1 : -1;
        lastProgress = clock.monotonic();
        changed();
      },
    }),
  };
  return {
    metrics,
    onRequest(by) {
      requests += by;
      changed();
    },
    async settled(concluded, signal) {
      // What was asked for just now may not have begun.
      lastChange = lastProgress = clock.monotonic();
      for (;;) {
        const now = clock.monotonic();
        const quiet = running === 0 && requests === 0 && now - lastChange >= QUIET_MS;
        if (quiet && concluded()) return true;
        if (running === 0 && now - lastProgress >= PATIENCE_MS) return false;
        await sleep(clock, STEP_MS, signal);
      }
    },
  };
}
