import type { Client } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Cluster } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import { type BoundSync, createBindingController } from '@hawser/kbind-binding';
import { createConnectionController } from '@hawser/kbind-connection';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { RehearsedClient, RehearsedWorld, type RehearsedWrite, createActivity, netWrites } from '@hawser/preview';
import { silentLogger } from '@hawser/telemetry';

import type { ExplainContext } from '../context.js';

/** Target of a write. */
export type WriteTarget = { readonly kind: 'consumer' } | { readonly kind: 'provider'; readonly connection: string };

export const consumerTarget: WriteTarget = { kind: 'consumer' };

/** The provider of a Connection as the konnector reaches it. */
export interface OpenedProvider {
  /** Client for reading. */
  readonly client: Client;
  /** Holds credentials. */
  readonly config: ConnectionConfig;
}

/** The controllers of `core.kbind.io` after they have done all they can. */
export interface Rehearsed {
  readonly world: RehearsedWorld<WriteTarget>;
  readonly writes: readonly RehearsedWrite<WriteTarget>[];
  readonly syncs: readonly BoundSync[];
  /** Providers by the name of the Connection. */
  readonly providers: ReadonlyMap<string, OpenedProvider>;
  /** False: the controllers wait for something that did not come. */
  readonly isSettled: boolean;
}

/**
 * Runs the konnector's own controllers with clients that note each write and send none. Calls `work` once the
 * controllers rest.
 */
export async function rehearseCoreKbind<T>(
  context: ExplainContext,
  dryRun: boolean,
  work: (rehearsed: Rehearsed) => Promise<T>,
): Promise<T> {
  const activity = createActivity(systemClock);
  const world = new RehearsedWorld<WriteTarget>(targetId);
  const providers = new Map<string, OpenedProvider>();
  const shared = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: activity.metrics };
  const rehearsed = (name: string, real: Client, side: WriteTarget): Cluster => {
    const client = new RehearsedClient(real, { side, world, dryRun, onRequest: activity.onRequest });
    const events = { record: () => undefined, flush: () => Promise.resolve() };
    return { name, client, informers: createSharedInformers({ client, ...shared }), events };
  };
  const connections = createConnectionController({
    policy: context.policy,
    secretNamespaces: context.secretNamespaces,
    open: (fromSecret, connection) => {
      const config = context.provider ?? fromSecret;
      const client = context.connect(config);
      const cluster = rehearsed('provider', client, { kind: 'provider', connection });
      providers.set(connection, { client, config });
      return { cluster, close: () => cluster.informers.close() };
    },
  });
  const bindings = createBindingController({ links: connections.links, schemaPolicy: context.schemaPolicy });
  const consumer = rehearsed('consumer', context.consumer, consumerTarget);
  const { signal } = context;
  // In the order of the konnector: bindings let go of a link before it closes.
  const controllers = [bindings, connections];
  try {
    let isStarted = false;
    // An unreadable resource keeps them from starting: that is then the answer.
    Promise.all(controllers.map((controller) => controller.start({ clusters: { consumer }, ...shared, signal })))
      .then(() => {
        isStarted = true;
      })
      .catch(() => undefined);
    const isSettled = await activity.settled(
      () => isStarted && bindings.syncs.every(({ sync }) => sync.surveyed || sync.troubles().length > 0),
      signal,
    );
    const writes = netWrites(world.writes, targetId).filter((write) => !isHeartbeat(write));
    return await work({ world, writes, syncs: bindings.syncs, providers, isSettled });
  } finally {
    for (const controller of controllers) await controller.stop();
    await consumer.informers.close();
  }
}

function targetId(target: WriteTarget): string {
  return target.kind === 'consumer' ? '' : target.connection;
}

/** Only a running konnector writes it, all the time. */
function isHeartbeat({ side, resource, key }: RehearsedWrite<WriteTarget>): boolean {
  if (side.kind === 'consumer') return false;
  return resource.resource === 'leases' || (resource.resource === 'namespaces' && key.name === 'kbind');
}
