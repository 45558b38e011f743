import type { Client } from '@hawser/client';
import { type PortalOptions, createPortal } from '@hawser/portal';

import type { Config } from '@hawser/config';
import { PROVIDER_LEASE } from './elected.js';
import { leaseNamespace, leaseKey } from './led-work.js';
import { type Served, served } from './served.js';
import { openIssuer, readClusterIssuers } from './portal-issuer.js';
import type { ProcessContext } from '@hawser/commands';

type PortalConfig = NonNullable<Config['provider']['portal']>;

/** The portal of this process. */
export function servedPortal(
  config: Config['provider'],
  portal: PortalConfig,
  client: Client,
  context: ProcessContext,
): Served {
  return served('hawser-portal', client, context, async (own) => {
    const issuer = await openIssuer(portal, context);
    own(() => issuer.close());
    const clusterIssuers = await readClusterIssuers(portal.clusterIssuers);
    return createPortal(optionsOf(config, { ...portal, clusterIssuers }, issuer.options, context));
  });
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
    lease: lease.enabled ? leaseKey(lease, PROVIDER_LEASE, context) : undefined,
  };
}
