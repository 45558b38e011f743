import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type ControllerContext, clientEventWriter } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { createEventRecorder, createLogger, createMetrics } from '@hawser/telemetry';

/** What a controller of the provider may use, and the end of it. */
export interface ProviderContext {
  readonly ctx: ControllerContext<'provider'>;
  /** After the controllers have stopped: writes the last Events, closes watches and sockets. */
  close(): Promise<void>;
}

/** A context out of a connection. Controllers that are given the same one share its caches and sockets. */
export function createProviderContext(connection: ConnectionConfig, signal: AbortSignal): ProviderContext {
  const shared = {
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ level: 'warn', format: 'text' }),
    metrics: createMetrics(),
  };
  const client = createClient({ name: 'provider', connection, ...shared });
  const informers = createSharedInformers({ client, ...shared });
  const events = createEventRecorder({
    writer: clientEventWriter(client),
    component: 'standalone-controller',
    ...shared,
  });
  return {
    ctx: { clusters: { provider: { name: 'provider', client, informers, events } }, signal, ...shared },
    async close() {
      await informers.close();
      await events.flush();
      await client.close();
    },
  };
}
