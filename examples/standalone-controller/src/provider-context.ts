import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type ControllerContext, clientEventWriter } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { createEventRecorder, createLogger, createMetrics } from '@hawser/telemetry';

/** Services for a controller of the provider, and their cleanup. */
export interface ProviderContext {
  readonly ctx: ControllerContext<'provider'>;
  /** Call after the controllers have stopped: writes the last Events, closes watches and sockets. */
  close(): Promise<void>;
}

/** Builds a context from a connection. Controllers with the same context share its caches and sockets. */
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
