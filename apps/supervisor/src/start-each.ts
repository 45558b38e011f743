import type { Cluster, Controller } from '@hawser/controller';

import type { ProcessContext } from '@hawser/commands';
import { startController } from './start-controller.js';
import { until } from './until.js';

export interface StartOptions {
  readonly cluster: Cluster;
  readonly context: ProcessContext;
  readonly signal: AbortSignal;
}

/**
 * Starts the consumer's controllers one by one. Each is in `started` before it starts: it must be stopped even if its
 * start fails.
 */
export async function startEach(
  controllers: readonly Controller<'consumer'>[],
  { cluster, context, signal, started }: StartOptions & { readonly started: { stop(): Promise<void> }[] },
): Promise<void> {
  for (const controller of controllers) {
    started.push(controller);
    await startController(controller, { consumer: cluster }, context, signal);
  }
}

/** Runs them until `signal` aborts; rejects if one does not start. Afterwards nothing is in flight. */
export async function runEach(controllers: readonly Controller<'consumer'>[], options: StartOptions): Promise<void> {
  const started: { stop(): Promise<void> }[] = [];
  try {
    await startEach(controllers, { ...options, started });
    await until(options.signal);
  } finally {
    await Promise.all(started.map((controller) => controller.stop()));
  }
}
