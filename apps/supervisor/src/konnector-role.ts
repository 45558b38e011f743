import { type Client, createClient } from '@hawser/client';
import { createFinalizerRelease } from '@hawser/apiserviceexport';
import { consumerCRDs, installCRDs } from '@hawser/kube-bind';
import { type KonnectorMain, createKonnectorMain } from '@hawser/konnector-main';

import { clusterOf } from './cluster-of.js';
import type { Config } from './config.js';
import { createConnectionSet } from './connection-set.js';
import { type Elected, createElected } from './elected.js';
import type { HealthCheck } from './health-server.js';
import { ownConnection } from './own-connection.js';
import { persistently } from './persistently.js';
import type { ProcessContext } from './process-context.js';
import type { RunningRole } from './role.js';
import { until } from './until.js';

/** The konnector: everything that runs on the consumer's side, for as many providers as its bindings name. */
export async function createKonnectorRole(config: Config['konnector'], context: ProcessContext): Promise<RunningRole> {
  const connection = await ownConnection(config, context);
  const client = createClient({ name: 'consumer', connection, clock: context.clock, random: context.random, logger: context.logger, metrics: context.metrics, userAgent: `hawser-konnector/${context.version}` });
  let main: KonnectorMain | undefined;
  let working = false;

  const work = async (guarded: Client, signal: AbortSignal, mayWrite: AbortSignal): Promise<void> => {
    const consumer = clusterOf('consumer', guarded, 'hawser-konnector', context);
    const started: { stop(): Promise<void> }[] = [];
    try {
      await installCRDs(guarded, consumerCRDs, { clock: context.clock, random: context.random, logger: context.logger, signal });
      main = createKonnectorMain({
        policy: config.secretKubeconfigs,
        startSet: (provider) => createConnectionSet(provider, { consumer: consumer.cluster, config, context, mayWrite }),
      });
      for (const controller of [main, createFinalizerRelease()]) {
        started.push(controller);
        await controller.start({ clusters: { consumer: consumer.cluster }, logger: context.logger.child({ controller: controller.name }), metrics: context.metrics, clock: context.clock, random: context.random, signal });
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

  const elected: Elected = createElected({ lease: config.lease, defaultName: 'kube-bind', client, context, work: persistently(work, context) });

  return {
    name: 'konnector',
    async run(signal) {
      try {
        await elected.run(signal);
      } finally {
        await client.close();
      }
    },
    ready: () => working || !elected.leading,
    checks: (): readonly HealthCheck[] => [...elected.checks(), ...(main?.connections ?? []).map(connectionCheck)],
  };
}

function connectionCheck({ id, phase, bindings, lastError, controllers }: KonnectorMain['connections'][number]): HealthCheck {
  const broken = controllers.filter((controller) => controller.phase === 'failed').map(({ name, error }) => `${name}: ${error ?? 'failed'}`);
  const detail = [phase, bindings.length === 1 ? '1 binding' : `${bindings.length} bindings`, ...(lastError === undefined ? [] : [lastError]), ...broken].join(', ');
  return { name: `connection/${id}`, ok: lastError === undefined && broken.length === 0, critical: false, detail };
}
