import type { Client } from '@hawser/client';
import { type Clock, systemClock } from '@hawser/clock';
import type { Cluster, Controller } from '@hawser/controller';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { type EventMessage, type Metrics, type ObjectReference, noMetrics, silentLogger } from '@hawser/telemetry';

/** A controller started by a test. */
export interface RunningController {
  /** What it recorded, in order. */
  readonly events: readonly { readonly regarding: ObjectReference; readonly event: EventMessage }[];
  /** Resolves when nothing is in flight. Throws if it left a watch open. */
  stop(): Promise<void>;
}

/**
 * Starts a controller like the process does, with its own caches. Resolves when they are filled. The clients stay the
 * caller's.
 */
export async function runController<Names extends string>(
  controller: Controller<Names>,
  clients: Readonly<Record<Names, Client>>,
  clock: Clock = systemClock,
  metrics: Metrics = noMetrics,
): Promise<RunningController> {
  const events: { regarding: ObjectReference; event: EventMessage }[] = [];
  const informers: SharedInformers[] = [];
  const telemetry = { clock, random: Math.random, logger: silentLogger, metrics };
  const clusterOf = (name: string, client: Client): Cluster => {
    const shared = createSharedInformers({ client, ...telemetry });
    informers.push(shared);
    return {
      name,
      client,
      informers: shared,
      events: {
        record: (regarding, event) => {
          events.push({ regarding, event });
        },
        flush: () => Promise.resolve(),
      },
    };
  };
  const clusters = Object.fromEntries(
    Object.entries<Client>(clients).map(([name, client]) => [name, clusterOf(name, client)]),
  ) as Record<Names, Cluster>;
  await controller.start({ clusters, ...telemetry, signal: new AbortController().signal });
  return {
    events,
    async stop() {
      await controller.stop();
      const open = informers.flatMap(({ active }) => active.map(({ spec }) => spec.resource.resource));
      await Promise.all(informers.map((one) => one.close()));
      if (open.length > 0) throw new Error(`controller ${controller.name} left watches open: ${open.join(', ')}`);
    },
  };
}
