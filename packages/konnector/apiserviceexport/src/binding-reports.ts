import { isApiError } from '@hawser/client';
import { type ControllerContext, createObstacles, createQueue, done, missingRight } from '@hawser/controller';

/** Reports on bindings, gathered, so that a storm of problems is one write. */
export interface BindingReports {
  request(name: string): void;
  close(): Promise<void>;
}

/** What the context has to give. */
export type ReportsContext = Pick<
  ControllerContext<'consumer'>,
  'clusters' | 'clock' | 'random' | 'logger' | 'metrics'
>;

const ENDPOINT = 'consumer/status';

/** `report` writes to the consumer, and resolves to the milliseconds after which it must be repeated; 0: it is done. A report that fails waits until the consumer can be reached, lets it be written, or works again. */
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
