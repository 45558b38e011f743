import { clientOf, ownConnection, type ProcessContext } from '@hawser/commands';
import { type Config, ConfigError } from '@hawser/config';
import { createGateway } from '@hawser/gateway';
import { dialects } from '@hawser/klutch';
import type { RunningRole } from './role.js';
import { served } from './served.js';

/** The gateway: shows each consumer only its own objects. Every process of this role serves; there is no leader. */
export async function createGatewayRole(config: Config['provider'], context: ProcessContext): Promise<RunningRole> {
  const { gateway: settings } = config;
  if (settings?.tls === undefined)
    throw new ConfigError('provider.gateway: the role gateway needs provider.gateway.tls');
  const { address, tls, connections } = settings;
  const connection = await ownConnection(config, context);
  const client = clientOf('provider', connection, 'gateway', context, config.limits);
  const gateway = served('hawser-gateway', client, context, () =>
    Promise.resolve(
      createGateway({
        dialects: dialects.filter(({ name }) => config.dialects.includes(name)),
        connection,
        address,
        tls,
        connections,
      }),
    ),
  );
  return {
    name: 'gateway',
    async run(signal) {
      try {
        await gateway.run(signal);
      } finally {
        await client.close();
      }
    },
    ready: () => gateway.working(),
    checks: () => [{ name: 'gateway', ok: gateway.working(), critical: false }],
  };
}
