import type { Client } from '@hawser/client';
import { type Portal, type PortalOptions, createPortal } from '@hawser/portal';

import { clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import { PROVIDER_LEASE, leaseNamespace, leasePlace } from './elected.js';
import { persistently } from './persistently.js';
import { openIssuer, readClusterIssuers } from './portal-issuer.js';
import type { ProcessContext } from '@hawser/commands';
import { until } from './until.js';

type PortalConfig = NonNullable<Config['provider']['portal']>;

export interface ServedPortal {
  run(signal: AbortSignal): Promise<void>;
  /** Whether it answers. */
  working(): boolean;
}

/** The portal of this process, whether it leads or stands by. What keeps it from starting, as a port that is taken or a file that is missing, is told and tried again. */
export function servedPortal(
  config: Config['provider'],
  portal: PortalConfig,
  client: Client,
  context: ProcessContext,
): ServedPortal {
  let working = false;
  const serve = persistently(async (guarded, signal) => {
    const issuer = await openIssuer(portal, context);
    const provider = clusterOf('provider', guarded, 'hawser-portal', context);
    let served: Portal | undefined;
    try {
      const clusterIssuers = await readClusterIssuers(portal.clusterIssuers);
      served = createPortal(optionsOf(config, { ...portal, clusterIssuers }, issuer.options, context));
      await served.start({
        clusters: { provider: provider.cluster },
        logger: context.logger.child({ controller: served.name }),
        metrics: context.metrics,
        clock: context.clock,
        random: context.random,
        signal,
      });
      working = true;
      await until(signal);
    } finally {
      working = false;
      await served?.stop();
      await provider.close();
      await issuer.close();
    }
  }, context);
  return { run: (signal) => serve(client, signal, new AbortController().signal), working: () => working };
}

function optionsOf(
  { lease, prettyName, dialects }: Config['provider'],
  portal: Omit<PortalConfig, 'clusterIssuers'> & Pick<PortalOptions, 'clusterIssuers'>,
  issuer: PortalOptions['issuer'],
  context: ProcessContext,
): PortalOptions {
  const { namespace, sessionSeconds, refreshSeconds, oneClickApply, ...rest } = portal;
  const { KUBERNETES_SERVICE_HOST: own = '' } = context.env;
  return {
    ...rest,
    prettyName,
    version: context.version,
    klutch: dialects.includes('klutch'),
    namespace: namespace === '' ? leaseNamespace(lease, context) : namespace,
    sessionMs: sessionSeconds * 1_000,
    refreshMs: refreshSeconds * 1_000,
    issuer,
    oneClickApply: oneClickApply && { ...oneClickApply, own: own === '' ? [] : [own] },
    lease: lease.enabled ? leasePlace(lease, PROVIDER_LEASE, context) : undefined,
  };
}
