import type { ProcessContext } from '@hawser/commands';
import type { Cluster, Controller } from '@hawser/controller';

/** Starts a controller with the shared services of a process and a logger that names it. */
export function startController<Names extends string>(
  controller: Controller<Names>,
  clusters: Readonly<Record<Names, Cluster>>,
  { logger, metrics, clock, random }: ProcessContext,
  signal: AbortSignal,
): Promise<void> {
  const named = logger.child({ controller: controller.name });
  return controller.start({ clusters, logger: named, metrics, clock, random, signal });
}
