import type { Client } from '@hawser/client';
import { clientOf, type ProcessContext } from '@hawser/commands';
import type { Config } from '@hawser/config';
import type { Controller } from '@hawser/controller';
import { installCRDs } from '@hawser/core-kbind';
import { createBindingController } from '@hawser/kbind-binding';
import { createConnectionController, type OpenProvider } from '@hawser/kbind-connection';
import type { WriterShares } from '@hawser/konnector-sync';

import { clusterOf } from './cluster-of.js';

export interface CoreKbindOptions {
  readonly config: Config['konnector'];
  readonly context: ProcessContext;
  /** Of all syncs of the process. */
  readonly writers: WriterShares;
  /** Aborts when this process may no longer write. */
  readonly mayWrite: AbortSignal;
}

/** What serves `core.kbind.io` beside kube-bind, in the order in which it starts and stops. Installs its CRDs first. */
export async function startableCoreKbind(
  consumer: Client,
  { config, context, writers, mayWrite }: CoreKbindOptions,
  signal: AbortSignal,
): Promise<readonly Controller<'consumer'>[]> {
  const { clock, random, logger } = context;
  await installCRDs(consumer, { clock, random, logger, signal });
  const open: OpenProvider = (connection, name) => {
    const own: ProcessContext = { ...context, logger: logger.child({ connection: name }) };
    const client = clientOf('provider', () => connection, 'konnector', own, config.limits.provider);
    const opened = clusterOf('provider', client.withWriteGuard(mayWrite), 'hawser-konnector', own);
    return {
      cluster: opened.cluster,
      close: async () => {
        await opened.close();
        await client.close();
      },
    };
  };
  const connections = createConnectionController({
    open,
    policy: config.secretKubeconfigs,
    secretNamespaces: config.coreKbind.secretNamespaces,
  });
  const bindings = createBindingController({
    links: connections.links,
    schemaPolicy: config.schemaUpdate,
    concurrency: config.concurrency,
    writers,
  });
  // Bindings let go of a link before it is closed.
  return [bindings, connections];
}
