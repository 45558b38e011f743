import { isApiError } from '@hawser/client';
import { type ControllerContext, createObstacles, createQueue, done, missingRight } from '@hawser/controller';

/** Reports on bindings; gathers a storm of problems into one write. */
export interface BindingReports {
  request(name: string): void;
  close(): Promise<void>;
}

/** The parts of the context that reports need. */
export type ReportsContext = Pick<
  ControllerContext<'consumer'>,
  'clusters' | 'clock' | 'random' | 'logger' | 'metrics'
>;

const ENDPOINT = 'consumer/status';

/** Resolves to the milliseconds until a repeat; 0: done. Retries a failed write once the consumer accepts it. */
export function createBindingReports(
  delayMs: number,
  { clusters: { consumer }, clock, random, logger, metrics }: ReportsContext,
  report: (name: string) => Promise<number>,
): BindingReports {
  const obstacles = createObstacles({
    clock,
    random,
    release: (names) => {
      queue.release(names);
    },
  });
  const queue = createQueue({
    name: 'objects-in-sync',
    concurrency: 1,
    reconcile: async (name) => {
      const waitMs = await report(name);
      obstacles.passed(ENDPOINT, name);
      obstacles.left(name);
      return waitMs > 0 ? { kind: 'requeue', afterMs: waitMs } : done;
    },
    onFailure: (name, error) => {
      const obstacle = isApiError(error, 'InternalError') ? { id: ENDPOINT } : missingRight(error, consumer.client);
      if (obstacle !== undefined) obstacles.met(name, obstacle);
    },
    clock,
    random,
    logger,
    metrics,
    recoveries: [consumer.client.recovery],
  });
  return {
    request: (name) => {
      queue.addAfter(name, delayMs);
    },
    close: () => {
      obstacles.close();
      return queue.stop();
    },
  };
}
