import { readFile } from 'node:fs/promises';
import type { Client } from '@hawser/client';
import { type PortalOptions, createPortal } from '@hawser/portal';

import { clusterOf } from './cluster-of.js';
import type { Config } from './config.js';
import { leaseNamespace } from './elected.js';
import { persistently } from './persistently.js';
import type { ProcessContext } from './process-context.js';
import { until } from './until.js';

export interface ServedPortal {
  run(signal: AbortSignal): Promise<void>;
  /** Whether it answers. */
  working(): boolean;
}

/** The portal of this process, whether it leads or stands by. What keeps it from starting, as a port that is taken or a file that is missing, is told and tried again. */
export function servedPortal(
  config: Config['provider'],
  portal: NonNullable<Config['provider']['portal']>,
  client: Client,
  context: ProcessContext,
): ServedPortal {
  let working = false;
  const serve = persistently(async (guarded, signal) => {
    const provider = clusterOf('provider', guarded, 'hawser-portal', context);
    const served = createPortal(await optionsOf(config, portal, context));
    try {
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
      await served.stop();
      await provider.close();
    }
  }, context);
  return { run: (signal) => serve(client, signal, new AbortController().signal), working: () => working };
}

async function optionsOf(
  { lease, prettyName }: Config['provider'],
  portal: NonNullable<Config['provider']['portal']>,
  context: ProcessContext,
): Promise<PortalOptions> {
  const { issuer, namespace, sessionSeconds, ...rest } = portal;
  const { url, clientId, clientSecret, clientSecretFile, caFile, callbackUrl } = issuer;
  const said = clientSecret === '' ? context.env['OIDC_CLIENT_SECRET'] : clientSecret;
  const secret = clientSecretFile === '' ? said : await readFile(clientSecretFile, 'utf8');
  return {
    ...rest,
    prettyName,
    version: context.version,
    namespace: namespace === '' ? leaseNamespace(lease, context) : namespace,
    sessionMs: sessionSeconds * 1_000,
    issuer: {
      url,
      clientId,
      ...(secret === undefined || secret.trim() === '' ? {} : { clientSecret: secret.trim() }),
      ...(caFile === '' ? {} : { ca: await readFile(caFile, 'utf8') }),
      ...(callbackUrl === '' ? {} : { callbackUrl }),
    },
  };
}
