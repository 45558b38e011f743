import { clientOf, ownConnection, type ProcessContext } from '@hawser/commands';
import { type Config, ConfigError } from '@hawser/config';
import { createGateway } from '@hawser/gateway';
import { dialects } from '@hawser/klutch';
import { clusterOf } from './cluster-of.js';
import { persistently } from './persistently.js';
import type { RunningRole } from './role.js';
import { until } from './until.js';

/** The gateway: shows each consumer its own objects. Every process of this role serves; there is no leader. */
export async function createGatewayRole(config: Config['provider'], context: ProcessContext): Promise<RunningRole> {
  const { gateway: settings } = config;
  if (settings?.tls === undefined)
    throw new ConfigError('provider.gateway: the role gateway needs provider.gateway.tls');
  const { address, tls } = settings;
  const connection = await ownConnection(config, context);
  const client = clientOf('provider', connection, 'gateway', context, config.limits);
  let working = false;
  const serve = persistently(async (guarded, signal) => {
    const provider = clusterOf('provider', guarded, 'hawser-gateway', context);
    const gateway = createGateway({
      dialects: dialects.filter(({ name }) => config.dialects.includes(name)),
      connection,
      address,
      tls,
    });
    try {
      await gateway.start({
        clusters: { provider: provider.cluster },
        logger: context.logger.child({ controller: gateway.name }),
        metrics: context.metrics,
        clock: context.clock,
        random: context.random,
        signal,
      });
      working = true;
      await until(signal);
    } finally {
      working = false;
      await gateway.stop();
      await provider.close();
    }
  }, context);
  return {
    name: 'gateway',
    async run(signal) {
      try {
        await serve(client, signal, new AbortController().signal);
      } finally {
        await client.close();
      }
    },
    ready: () => working,
    checks: () => [{ name: 'gateway', ok: working, critical: false }],
  };
}
