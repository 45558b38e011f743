import type { Client, KubeObject } from '@hawser/client';
import { clientOf, kubeconfigNamespaces, type ProcessContext } from '@hawser/commands';
import type { Config } from '@hawser/config';
import type { Controller } from '@hawser/controller';
import { connectionOf, installCRDs } from '@hawser/core-kbind';
import { createBindingController, createPullController } from '@hawser/kbind-binding';
import { type ConnectionState, createConnectionController, type OpenProvider } from '@hawser/kbind-connection';
import type { WriterShares } from '@hawser/konnector-sync';
import { kubeBindDialect } from '@hawser/kube-bind';
import { createStoredVersions } from '@hawser/storedversions';

import { clusterOf } from './cluster-of.js';
import type { HealthCheck } from './health-server.js';

export interface CoreKbindOptions {
  readonly config: Config['konnector'];
  readonly context: ProcessContext;
  /** Write shares of all syncs in the process. */
  readonly writers: WriterShares;
  /** Aborts when this process may no longer write. */
  readonly mayWrite: AbortSignal;
}

/** The controllers that serve `core.kbind.io`. */
export interface CoreKbind {
  /** In order of start and stop. */
  readonly controllers: readonly Controller<'consumer'>[];
  /** One check per Connection. None is critical: an unresponsive provider is no reason to restart. */
  checks(): readonly HealthCheck[];
}

/** Creates the controllers for `core.kbind.io`, and installs its CRDs first. */
export async function startableCoreKbind(
  consumer: Client,
  { config, context, writers, mayWrite }: CoreKbindOptions,
  signal: AbortSignal,
): Promise<CoreKbind> {
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
    secretNamespaces: kubeconfigNamespaces(config),
  });
  const bindings = createBindingController({
    links: connections.links,
    schemaPolicy: config.schemaUpdate,
    concurrency: config.concurrency,
    writers,
  });
  const pull = createPullController({ links: connections.links, schemaPolicy: config.schemaUpdate });
  const isBound = (crd: KubeObject): boolean => connectionOf(crd) !== undefined;
  // Bindings release a link before it closes.
  const controllers = [
    bindings,
    pull,
    connections,
    ...(config.migrateStoredVersions ? [createStoredVersions({ dialect: kubeBindDialect, isBound })] : []),
  ];
  return { controllers, checks: () => connections.states.map(checkOf) };
}

function checkOf({ name, isReady, problem, bindings }: ConnectionState): HealthCheck {
  const state = isReady ? 'ready' : problem === '' ? 'not looked at yet' : problem;
  const count = bindings === 1 ? '1 binding' : `${bindings} bindings`;
  return { name: `core.kbind.io/${name}`, ok: isReady, critical: false, detail: `${state}, ${count}` };
}
