import type { Client } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { createConsumerLimitsController } from '@hawser/servicenamespace';

import { admissionNotice, gatewayNotice } from './provider-notices.js';
import { clientOf, ownConnection, type ProcessContext } from '@hawser/commands';
import { clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import { consumerEndpoint } from './consumer-endpoint.js';
import { PROVIDER_LEASE, createElected } from './elected.js';
import { electedRole } from './elected-role.js';
import { persistently } from './persistently.js';
import type { RunningRole } from './role.js';
import { spokenDialect } from './spoken-dialect.js';
import { startController } from './start-controller.js';
import { until } from './until.js';

/** The provider: onboards consumers, answers export requests, assigns namespaces and grants rights. */
export async function createProviderRole(config: Config['provider'], context: ProcessContext): Promise<RunningRole> {
  const connection = await ownConnection(config, context);
  const client = clientOf('provider', connection, 'provider', context, config.limits);
  const leaseClient = config.limits.qps === undefined ? client : clientOf('provider', connection, 'provider', context);
  const endpoint = consumerEndpoint(config, connection, context.clock);
  let working = false;
  for (const notice of [admissionNotice(config), gatewayNotice(config)])
    if (notice !== undefined) context.logger.warn(notice);
  const work = async (guarded: Client, signal: AbortSignal): Promise<void> => {
    const provider = clusterOf('provider', guarded, 'hawser-provider', context);
    const { consumerLimits } = config;
    const dialects = config.dialects.map((name) => spokenDialect(name, config, endpoint));
    const controllers: readonly Controller<'provider'>[] = [
      ...dialects.flatMap((dialect) => dialect.controllers),
      ...(Object.keys(consumerLimits).length === 0 ? [] : [createConsumerLimitsController(consumerLimits)]),
    ];
    try {
      for (const dialect of dialects)
        await dialect.install(guarded, {
          clock: context.clock,
          random: context.random,
          logger: context.logger,
          signal,
        });
      await Promise.all(
        controllers.map((controller) => startController(controller, { provider: provider.cluster }, context, signal)),
      );
      working = true;
      context.logger.info('provider works');
      await until(signal);
    } finally {
      working = false;
      await Promise.all(controllers.map((controller) => controller.stop()));
      await provider.close();
    }
  };
  const elected = createElected({
    lease: config.lease,
    defaultName: PROVIDER_LEASE,
    client,
    leaseClient,
    context,
    work: persistently(work, context),
  });
  const portal =
    config.portal === undefined
      ? undefined
      : // Loaded only with a portal, its only user.
        (await import('./served-portal.js')).servedPortal(config, config.portal, client, context);
  const role = electedRole({ name: 'provider', elected, clients: [], working: () => working });
  return {
    name: role.name,
    async run(signal) {
      try {
        await Promise.all([role.run(signal), portal?.run(signal)]);
      } finally {
        await Promise.all([...new Set([client, leaseClient])].map((one) => one.close()));
      }
    },
    ready: () => role.ready() && portal?.working() !== false,
    checks: () => [
      ...role.checks(),
      ...(portal === undefined ? [] : [{ name: 'portal', ok: portal.working(), critical: false }]),
    ],
  };
}
