import { type Client, type KubeObject, messageOf } from '@hawser/client';
import { type APIServiceExportController, type WriterShares, createAPIServiceExport } from '@hawser/apiserviceexport';
import { type ClaimedResourcesController, createClaimedResources } from '@hawser/claimedresources';
import { createClusterBinding, requiredInformers as ofClusterBinding } from '@hawser/clusterbinding';
import type { Cluster, Controller } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type ProviderConnection, createSchemaOutcomes, fillInformers } from '@hawser/konnector-connection';
import { type ControllerSet, type ControllerState, createProviderCredentials } from '@hawser/konnector-main';
import { createNamespaceLifecycle } from '@hawser/namespacelifecycle';
import { createServiceBinding, requiredInformers as ofServiceBinding } from '@hawser/servicebinding';
import { type ServiceBindingBundleController, createServiceBindingBundle } from '@hawser/servicebindingbundle';

import { clientOf, type KonnectorDialect, type ProcessContext } from '@hawser/commands';
import { type OpenCluster, clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import { leaseNamespace } from './led-work.js';
import { startController } from './start-controller.js';

export interface ConnectionSetOptions {
  readonly consumer: Cluster;
  readonly config: Config['konnector'];
  readonly context: ProcessContext;
  /** Write shares of all connections. */
  readonly writers: WriterShares;
  /** Aborts when this process may no longer write. */
  readonly mayWrite: AbortSignal;
  readonly spoken: KonnectorDialect;
  /** In control plane mode: how this process reaches the control plane, its provider. */
  readonly controlPlane?:
    { readonly connection: () => ConnectionConfig; readonly asProvider: (client: Client) => Client } | undefined;
}

/**
 * Longest wait for work in flight; then it is abandoned, and the process ends in time even if a provider does not
 * answer.
 */
const DRAIN_MS = 4_000;

type KonnectorController = Controller<'consumer' | 'provider'>;

/** The controllers of one provider connection, over one client of the provider. */
export function createConnectionSet(connection: ProviderConnection, options: ConnectionSetOptions): ControllerSet {
  const { consumer, config, mayWrite, spoken, controlPlane } = options;
  const context: ProcessContext = {
    ...options.context,
    logger: options.context.logger.child({ connection: connection.hash.slice(0, 8) }),
  };
  const { all: controllers, exports, claims, bundles } = controllersOf(connection, options);
  const states = new Map<string, ControllerState>(controllers.map(({ name }) => [name, { name, phase: 'waiting' }]));
  const closing = new AbortController();
  const credentials = createProviderCredentials({
    first: connection.config,
    clusterNamespace: connection.clusterNamespace,
    connect: (next) => clientOf('provider', next, 'konnector', context),
  });
  let required: readonly InformerHandle<KubeObject>[] = [];
  let client: Client | undefined;
  let provider: OpenCluster | undefined;
  let stopped: Promise<void> | undefined;

  const startOne = async (controller: KonnectorController, cluster: Cluster, signal: AbortSignal): Promise<void> => {
    states.set(controller.name, { name: controller.name, phase: 'starting' });
    try {
      await startController(controller, { consumer, provider: cluster }, context, signal);
      states.set(controller.name, { name: controller.name, phase: 'running' });
    } catch (error) {
      states.set(controller.name, { name: controller.name, phase: 'failed', error: messageOf(error) });
      throw error;
    }
  };

  const stop = async (): Promise<void> => {
    const hurry = context.clock.setTimeout(() => {
      closing.abort();
    }, DRAIN_MS);
    // Controllers first: their work in flight may finish.
    await Promise.all(controllers.map((controller) => controller.stop()));
    hurry.cancel();
    closing.abort();
    for (const { name } of controllers) states.set(name, { name, phase: 'stopped' });
    await provider?.close();
    await client?.close();
  };

  return {
    async prepare(signal) {
      client = clientOf(
        'provider',
        controlPlane?.connection ?? credentials.connection,
        'konnector',
        context,
        config.limits.provider,
      );
      const guarded = spoken
        .speaking(controlPlane === undefined ? client : controlPlane.asProvider(client))
        .withWriteGuard(mayWrite);
      provider = clusterOf('provider', guarded, 'hawser-konnector', context);
      const namespace = connection.clusterNamespace;
      const either = AbortSignal.any([signal, closing.signal]);
      // Closing the cluster ends these shares; controllers close their own.
      const { informers } = provider.cluster;
      const specs = [
        ...ofClusterBinding(connection),
        ...ofServiceBinding(connection),
        { resource: resources.apiServiceNamespaces, namespace },
      ];
      required = specs.map((spec) => informers.acquire(spec));
      await fillInformers(required, either);
    },
    identity: async (signal) => (client === undefined ? undefined : credentials.identity(client, signal)),
    rotate: (next, signal) => credentials.rotate(next, AbortSignal.any([signal, closing.signal])),
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
    async released(binding) {
      await Promise.all([exports.released(binding), claims.released(binding)]);
    },
    bundleReleased: (bundle) => bundles.released(bundle),
    get state() {
      return [...states.values(), ...required.flatMap(brokenWatch)];
    },
  };
}

interface ConnectionControllers {
  readonly all: readonly KonnectorController[];
  readonly exports: APIServiceExportController;
  readonly claims: ClaimedResourcesController;
  readonly bundles: ServiceBindingBundleController;
}

/** The controllers of one connection, as the config has them. */
function controllersOf(
  connection: ProviderConnection,
  { config, spoken, writers, context }: ConnectionSetOptions,
): ConnectionControllers {
  const outcomes = createSchemaOutcomes();
  const exports: APIServiceExportController = createAPIServiceExport({
    connection,
    dialect: spoken.dialect,
    adoptsFromProvider: spoken.adoptsFromProvider,
    outcomes,
    concurrency: config.concurrency,
    writers: writers,
    orphans: {
      policy: config.orphans.policy,
      deletionsPerMinute: config.orphans.deletionsPerMinute,
      graceMs: config.orphans.graceSeconds * 1_000,
    },
    contestedAfter: config.contestedAfter,
  });
  const claims = createClaimedResources({
    connection,
    maxObjects: config.bounds.claimedObjectsPerBinding,
    deletionsPerMinute: config.orphans.deletionsPerMinute,
    missingGraceMs: config.orphans.graceSeconds * 1_000,
    ...spoken.claims,
  });
  const bundles = createServiceBindingBundle({
    connection,
    pollMs: Math.max(1, config.providerPollingIntervalSeconds) * 1_000,
  });
  const all: readonly KonnectorController[] = [
    createClusterBinding({
      connection,
      version: context.version,
      policy: config.secretKubeconfigs,
      heartbeatIntervalMs: config.heartbeatIntervalSeconds * 1_000,
    }),
    createServiceBinding({
      connection,
      policy: config,
      schemaPolicy: config.schemaUpdate,
      migratesStoredVersions: config.migrateStoredVersions,
      recordsConsent: spoken.claims.claimsOf === undefined,
      outcomes,
    }),
    exports,
    claims,
    ...(spoken.bundles ? [bundles] : []),
    createNamespaceLifecycle({
      connection,
      ownNamespaces: [leaseNamespace(config.lease, context)],
      maxNamespaces: config.bounds.namespacesPerProvider,
    }),
  ];
  return { all, exports, claims, bundles };
}

/** If the provider is unreachable or refuses the connection, the controllers run but receive nothing. */
function brokenWatch({ spec, state }: InformerHandle<KubeObject>): readonly ControllerState[] {
  return state.phase === 'waiting'
    ? [{ name: `watch of ${spec.resource.resource}`, phase: 'failed', error: state.error.message }]
    : [];
}
