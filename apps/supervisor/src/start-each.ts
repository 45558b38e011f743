import type { Cluster, Controller } from '@hawser/controller';

import type { ProcessContext } from '@hawser/commands';
import { until } from './until.js';

export interface StartOptions {
  readonly cluster: Cluster;
  readonly context: ProcessContext;
  readonly signal: AbortSignal;
}

/** Starts one controller of the consumer after the other. Each is in `started` before it starts: it has to be stopped also where that fails. */
export async function startEach(
  controllers: readonly Controller<'consumer'>[],
  { cluster, context, signal, started }: StartOptions & { readonly started: { stop(): Promise<void> }[] },
): Promise<void> {
  const { logger, metrics, clock, random } = context;
  for (const controller of controllers) {
    started.push(controller);
    await controller.start({
      clusters: { consumer: cluster },
      logger: logger.child({ controller: controller.name }),
      metrics,
      clock,
      random,
      signal,
    });
  }
}

/** Runs them until `signal` aborts; rejects where one does not start. Nothing is in flight afterwards. */
export async function runEach(controllers: readonly Controller<'consumer'>[], options: StartOptions): Promise<void> {
  const started: { stop(): Promise<void> }[] = [];
  try {
    await startEach(controllers, { ...options, started });
    await until(options.signal);
  } finally {
    await Promise.all(started.map((controller) => controller.stop()));
  }
}
