import { type Client, createClient } from '@hawser/client';
import { type APIServiceExportController, createAPIServiceExport } from '@hawser/apiserviceexport';
import { createClusterBinding, requiredInformers as ofClusterBinding } from '@hawser/clusterbinding';
import type { Cluster, Controller } from '@hawser/controller';
import { resources } from '@hawser/kube-bind';
import { type ProviderConnection, fillInformers } from '@hawser/konnector-connection';
import type { ControllerSet, ControllerState } from '@hawser/konnector-main';
import { createServiceBinding, requiredInformers as ofServiceBinding } from '@hawser/servicebinding';

import { type OpenCluster, clusterOf } from './cluster-of.js';
import type { Config } from './config.js';
import type { ProcessContext } from './process-context.js';

export interface ConnectionSetOptions {
  readonly consumer: Cluster;
  readonly config: Config['konnector'];
  readonly context: ProcessContext;
  /** Aborts when this process may no longer write. */
  readonly mayWrite: AbortSignal;
}

type KonnectorController = Controller<'consumer' | 'provider'>;

/** The controllers of one provider connection, over one client of the provider. */
export function createConnectionSet(connection: ProviderConnection, options: ConnectionSetOptions): ControllerSet {
  const { consumer, config, mayWrite } = options;
  const context: ProcessContext = { ...options.context, logger: options.context.logger.child({ connection: connection.hash.slice(0, 8) }) };
  const exports: APIServiceExportController = createAPIServiceExport({ connection, concurrency: config.concurrency });
  const controllers: readonly KonnectorController[] = [
    createClusterBinding({ connection, version: context.version, policy: config.secretKubeconfigs, heartbeatIntervalMs: config.heartbeatIntervalSeconds * 1_000 }),
    createServiceBinding({ connection }),
    exports,
  ];
  const states = new Map<string, ControllerState>(controllers.map(({ name }) => [name, { name, phase: 'waiting' }]));
  const closing = new AbortController();
  let client: Client | undefined;
  let provider: OpenCluster | undefined;
  let stopped: Promise<void> | undefined;

  const startOne = async (controller: KonnectorController, cluster: Cluster, signal: AbortSignal): Promise<void> => {
    states.set(controller.name, { name: controller.name, phase: 'starting' });
    try {
      await controller.start({
        clusters: { consumer, provider: cluster },
        logger: context.logger.child({ controller: controller.name }),
        metrics: context.metrics,
        clock: context.clock,
        random: context.random,
        signal,
      });
      states.set(controller.name, { name: controller.name, phase: 'running' });
    } catch (error) {
      states.set(controller.name, { name: controller.name, phase: 'failed', error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  };

  const stop = async (): Promise<void> => {
    // Controllers first: what they have in flight may end.
    await Promise.all(controllers.map((controller) => controller.stop()));
    closing.abort();
    for (const { name } of controllers) states.set(name, { name, phase: 'stopped' });
    await provider?.close();
    await client?.close();
  };

  return {
    async prepare(signal) {
      client = createClient({ name: 'provider', connection: connection.config, clock: context.clock, random: context.random, logger: context.logger, metrics: context.metrics, userAgent: `hawser-konnector/${context.version}` });
      const guarded = client.withWriteGuard(mayWrite);
      provider = clusterOf('provider', guarded, 'hawser-konnector', context);
      const namespace = connection.clusterNamespace;
      const either = AbortSignal.any([signal, closing.signal]);
      // Closing the cluster ends these shares; the controllers take their own.
      const { informers } = provider.cluster;
      const specs = [...ofClusterBinding(connection), ...ofServiceBinding(connection), { resource: resources.apiServiceNamespaces, namespace }];
      await fillInformers(specs.map((spec) => informers.acquire(spec)), either);
    },
    async run(signal) {
      const cluster = provider?.cluster;
      if (cluster === undefined) throw new Error('a controller set runs only after it is prepared');
      const either = AbortSignal.any([signal, closing.signal]);
      await Promise.all(controllers.map((controller) => startOne(controller, cluster, either)));
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
    released: (binding) => exports.released(binding),
    get state() {
      return [...states.values()];
    },
  };
}
