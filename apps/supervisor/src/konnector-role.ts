import type { Client } from '@hawser/client';
import { createWriterShares } from '@hawser/apiserviceexport';
import type { Cluster, Controller } from '@hawser/controller';
import { consumerUnit, unitOf } from '@hawser/konnector-connection';
import { type KonnectorMain, createKonnectorMain } from '@hawser/konnector-main';
import type { ShardTerm } from '@hawser/lease';
import { createStoredVersions } from '@hawser/storedversions';
import { createFinalizerRelease, createUnbinding } from '@hawser/unbinding';

import { type AppCluster, openAppCluster } from './app-cluster.js';
import { clientOf, konnectorDialect, ownConnection, type ProcessContext } from '@hawser/commands';
import { clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import { createConnectionSet } from './connection-set.js';
import { type CoreKbind, startableCoreKbind } from './core-kbind.js';
import { type Work, createElected } from './elected.js';
import { leaseNamespace } from './led-work.js';
import { electedRole } from './elected-role.js';
import type { HealthCheck } from './health-server.js';
import { ownedWork } from './owned-work.js';
import { persistently } from './persistently.js';
import type { RunningRole } from './role.js';
import { createSharedWork } from './shared-work.js';
import { runEach, startEach } from './start-each.js';
import { until } from './until.js';

/** The konnector: every controller of the consumer's side, for as many providers as its bindings name. */
export async function createKonnectorRole(config: Config['konnector'], context: ProcessContext): Promise<RunningRole> {
  const connection = await ownConnection(config, context);
  const client = clientOf('consumer', connection, 'konnector', context, config.limits.consumer);
  const leaseClient =
    config.limits.consumer.qps === undefined ? client : clientOf('consumer', connection, 'konnector', context);
  const spoken = konnectorDialect(config);
  const { dialect } = spoken;
  let main: KonnectorMain | undefined;
  let coreKbind: CoreKbind | undefined;
  let working = false;
  const writers = createWriterShares(context.clock);

  /** Serves the bindings of the dialect. Undefined if only core.kbind.io is served. */
  const mainOf = (
    consumer: Cluster,
    app: AppCluster | undefined,
    mayWrite: AbortSignal,
    shards: ShardTerm | undefined,
  ): KonnectorMain | undefined =>
    config.coreKbind.alone
      ? undefined
      : createKonnectorMain({
          policy: config.secretKubeconfigs,
          labelledSecrets: spoken.labelledSecrets,
          bundles: spoken.bundles,
          ...(shards === undefined ? {} : { serves: (secret) => shards.owns(unitOf(secret)) }),
          startSet: (provider) =>
            createConnectionSet(provider, {
              consumer,
              config,
              context,
              writers,
              mayWrite,
              spoken,
              controlPlane: app === undefined ? undefined : { connection, asProvider: app.asProvider },
            }),
        });

  /**
   * Controllers that exist once per consumer, whatever its bindings. Installs CRDs first; in control plane mode
   * bindings are the control plane's.
   */
  const ofConsumer = async (
    own: Client,
    app: AppCluster | undefined,
    signal: AbortSignal,
    mayWrite: AbortSignal,
  ): Promise<readonly Controller<'consumer'>[]> => {
    const { enabled, alone } = config.coreKbind;
    if (app === undefined && !alone)
      await spoken.install(own, { clock: context.clock, random: context.random, logger: context.logger, signal });
    if (app === undefined && enabled)
      coreKbind = await startableCoreKbind(own, { config, context, writers, mayWrite }, signal);
    const ofDialect = alone
      ? []
      : [
          createFinalizerRelease(dialect),
          createUnbinding({ dialect, recordNamespace: leaseNamespace(config.lease, context) }),
          ...(config.migrateStoredVersions ? [createStoredVersions({ dialect })] : []),
        ];
    return [...ofDialect, ...(coreKbind?.controllers ?? [])];
  };

  /** Serves `app` in control plane mode, else this process's own cluster. */
  const serve = async (
    own: Client,
    app: AppCluster | undefined,
    signal: AbortSignal,
    mayWrite: AbortSignal,
    shards?: ShardTerm,
  ): Promise<void> => {
    const consumer = clusterOf('consumer', spoken.speaking(app?.consumer ?? own), 'hawser-konnector', context);
    const { cluster } = consumer;
    const started: { stop(): Promise<void> }[] = [];
    try {
      const running = mainOf(cluster, app, mayWrite, shards);
      const mains = running === undefined ? [] : [running];
      if (shards === undefined) {
        const others = await ofConsumer(own, app, signal, mayWrite);
        main = running;
        await startEach([...mains, ...others], { cluster, started, context, signal });
      } else {
        const once = persistently(async (_client, ending) => {
          try {
            // A started installation is finished first: without it bindings cannot be read, and each failed read would
            // abort it again.
            await runEach(await ofConsumer(own, app, signal, mayWrite), { cluster, context, signal: ending });
          } finally {
            coreKbind = undefined;
          }
        }, context);
        const ofAll = ownedWork(
          () => shards.owns(consumerUnit),
          (ending) => once(own, AbortSignal.any([signal, ending]), mayWrite),
        );
        main = running;
        started.push(ofAll);
        shards.follow({
          settle: async () => {
            await Promise.all([running?.settle(), ofAll.settle()]);
          },
        });
        await startEach(mains, { cluster, started, context, signal });
      }
      working = true;
      context.logger.info('konnector works');
      await until(signal);
    } finally {
      working = false;
      shards?.follow({ settle: () => Promise.resolve() });
      await Promise.all(started.map((controller) => controller.stop()));
      await consumer.close();
      main = undefined;
      coreKbind = undefined;
    }
  };

  const work: Work = async (guarded, signal, mayWrite, shards) => {
    const mode = config.controlPlaneMode;
    if (mode === undefined) return serve(guarded, undefined, signal, mayWrite, shards);
    while (!signal.aborted) {
      const app = await openAppCluster({ controlPlane: guarded, connection, config, mode, context, signal, mayWrite });
      try {
        await serve(guarded, app, AbortSignal.any([signal, app.changed]), mayWrite);
      } finally {
        await app.close();
      }
    }
  };

  const elected = (config.shards > 1 ? createSharedWork : createElected)({
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
    checks: () => [...(main?.connections ?? []).map(connectionCheck), ...(coreKbind?.checks() ?? [])],
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
