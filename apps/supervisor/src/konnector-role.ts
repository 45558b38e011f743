import type { Client } from '@hawser/client';
import { createWriterShares } from '@hawser/apiserviceexport';
import { type KonnectorMain, createKonnectorMain } from '@hawser/konnector-main';
import { createStoredVersions } from '@hawser/storedversions';
import { createFinalizerRelease, createUnbinding } from '@hawser/unbinding';

import { type AppCluster, openAppCluster } from './app-cluster.js';
import { clientOf, konnectorDialect, ownConnection, type ProcessContext } from '@hawser/commands';
import { clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import { createConnectionSet } from './connection-set.js';
import { startableCoreKbind } from './core-kbind.js';
import { type Work, createElected, leaseNamespace } from './elected.js';
import { electedRole } from './elected-role.js';
import type { HealthCheck } from './health-server.js';
import { persistently } from './persistently.js';
import type { RunningRole } from './role.js';
import { until } from './until.js';

/** The konnector: everything that runs on the consumer's side, for as many providers as its bindings name. */
export async function createKonnectorRole(config: Config['konnector'], context: ProcessContext): Promise<RunningRole> {
  const connection = await ownConnection(config, context);
  const client = clientOf('consumer', connection, 'konnector', context, config.limits.consumer);
  const leaseClient =
    config.limits.consumer.qps === undefined ? client : clientOf('consumer', connection, 'konnector', context);
  const spoken = konnectorDialect(config);
  const { dialect } = spoken;
  let main: KonnectorMain | undefined;
  let working = false;
  const writers = createWriterShares(context.clock);

  /** In `app` in control plane mode, else in the cluster that this process is an operator of. */
  const serve = async (
    own: Client,
    app: AppCluster | undefined,
    signal: AbortSignal,
    mayWrite: AbortSignal,
  ): Promise<void> => {
    const consumer = clusterOf('consumer', spoken.speaking(app?.consumer ?? own), 'hawser-konnector', context);
    const started: { stop(): Promise<void> }[] = [];
    try {
      // In control plane mode bindings are the control plane's.
      if (app === undefined)
        await spoken.install(own, { clock: context.clock, random: context.random, logger: context.logger, signal });
      main = createKonnectorMain({
        policy: config.secretKubeconfigs,
        labelledSecrets: spoken.labelledSecrets,
        bundles: spoken.bundles,
        startSet: (provider) =>
          createConnectionSet(provider, {
            consumer: consumer.cluster,
            config,
            context,
            writers,
            mayWrite,
            spoken,
            controlPlane: app === undefined ? undefined : { connection, asProvider: app.asProvider },
          }),
      });
      for (const controller of [
        main,
        createFinalizerRelease(dialect),
        createUnbinding({ dialect, recordNamespace: leaseNamespace(config.lease, context) }),
        ...(config.migrateStoredVersions ? [createStoredVersions({ dialect })] : []),
        ...(config.coreKbind.enabled && app === undefined
          ? await startableCoreKbind(own, { config, context, writers, mayWrite }, signal)
          : []),
      ]) {
        started.push(controller);
        await controller.start({
          clusters: { consumer: consumer.cluster },
          logger: context.logger.child({ controller: controller.name }),
          metrics: context.metrics,
          clock: context.clock,
          random: context.random,
          signal,
        });
      }
      working = true;
      context.logger.info('konnector works');
      await until(signal);
    } finally {
      working = false;
      await Promise.all(started.map((controller) => controller.stop()));
      await consumer.close();
      main = undefined;
    }
  };

  const work: Work = async (guarded, signal, mayWrite) => {
    const mode = config.controlPlaneMode;
    if (mode === undefined) return serve(guarded, undefined, signal, mayWrite);
    while (!signal.aborted) {
      const app = await openAppCluster({ controlPlane: guarded, connection, config, mode, context, signal, mayWrite });
      try {
        await serve(guarded, app, AbortSignal.any([signal, app.changed]), mayWrite);
      } finally {
        await app.close();
      }
    }
  };

  const elected = createElected({
    lease: config.lease,
    defaultName: dialect.names.konnectorLease,
    client,
    leaseClient,
    context,
    work: persistently(work, context),
  });

  return electedRole({
    name: 'konnector',
    elected,
    clients: [client, leaseClient],
    working: () => working,
    checks: () => (main?.connections ?? []).map(connectionCheck),
  });
}

function connectionCheck({
  id,
  phase,
  bindings,
  lastError,
  controllers,
}: KonnectorMain['connections'][number]): HealthCheck {
  const broken = controllers
    .filter((controller) => controller.phase === 'failed')
    .map(({ name, error }) => `${name}: ${error ?? 'failed'}`);
  const detail = [
    phase,
    bindings.length === 1 ? '1 binding' : `${bindings.length} bindings`,
    ...(lastError === undefined ? [] : [lastError]),
    ...broken,
  ].join(', ');
  return { name: `connection/${id}`, ok: lastError === undefined && broken.length === 0, critical: false, detail };
}
