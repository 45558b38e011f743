import { type Clock, sleep } from '@hawser/clock';
import { type Metrics, noMetrics } from '@hawser/telemetry';

/** Watches controllers until they have done all that they can do. */
export interface Activity {
  /** Metrics for the controllers: their queues report their work here. Counts nothing else. */
  readonly metrics: Metrics;
  readonly onRequest: (by: 1 | -1) => void;
  /**
   * Resolves to `true` once no reconcile and no request has run for a while and `concluded` agrees. Resolves to `false`
   * if `concluded` disagrees and nothing has progressed for long: the controllers then wait for something that does not
   * come.
   */
  settled(concluded: () => boolean, signal: AbortSignal): Promise<boolean>;
}

/** A reconcile begins sooner than this after the answer that causes it. */
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
    // Every queue observes it once for each reconcile: at its start and at its end.
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
      // Work requested just now may not have begun.
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
