import { readFile } from 'node:fs/promises';
import type { ClusterIssuer, IssuerOptions } from '@hawser/portal';

import type { Config } from '@hawser/config';
import type { ProcessContext } from '@hawser/commands';

type PortalConfig = NonNullable<Config['provider']['portal']>;

/** The identity provider that the portal trusts. */
export interface PortalIssuer {
  readonly options: IssuerOptions;
  /** Ends what it started. */
  close(): Promise<void>;
}

const EMBEDDED_URL = 'http://127.0.0.1:5556';

/** Opens the configured identity provider; an embedded one listens when this resolves. */
export async function openIssuer({ issuer, publicUrl }: PortalConfig, context: ProcessContext): Promise<PortalIssuer> {
  const { url, callbackUrl } = issuer;
  switch (issuer.type) {
    case 'external':
      return { options: await externalIssuer(issuer, context), close: () => Promise.resolve() };
    case 'embedded': {
      // Loaded only here: installations with their own identity provider do not need it.
      const { startTrialIssuer } = await import('@hawser/trial-issuer');
      const trial = await startTrialIssuer({
        url: url === '' ? EMBEDDED_URL : url,
        callbackUrl: callbackUrl === '' ? new URL('/api/callback', publicUrl).href : callbackUrl,
        clock: context.clock,
        log: context.logger.child({ controller: 'portal' }),
      });
      const { url: at, clientId, clientSecret } = trial;
      return {
        options: { url: at, clientId, clientSecret, ...(callbackUrl === '' ? {} : { callbackUrl }) },
        close: () => trial.close(),
      };
    }
  }
}

/** Issuers of consumer clusters, with the authorities from their config. */
export function readClusterIssuers(issuers: PortalConfig['clusterIssuers']): Promise<readonly ClusterIssuer[]> {
  return Promise.all(
    issuers.map(async ({ caFile, jwksUrl, ...issuer }) => ({
      ...issuer,
      ...(jwksUrl === '' ? {} : { jwksUrl }),
      ...(caFile === '' ? {} : { ca: await readFile(caFile, 'utf8') }),
    })),
  );
}

async function externalIssuer(issuer: PortalConfig['issuer'], { env }: ProcessContext): Promise<IssuerOptions> {
  const { url, clientId, clientSecret, clientSecretFile, caFile, callbackUrl } = issuer;
  const fromFlags = clientSecret === '' ? env['OIDC_CLIENT_SECRET'] : clientSecret;
  const secret = clientSecretFile === '' ? fromFlags : await readFile(clientSecretFile, 'utf8');
  return {
    url,
    clientId,
    ...(secret === undefined || secret.trim() === '' ? {} : { clientSecret: secret.trim() }),
    ...(caFile === '' ? {} : { ca: await readFile(caFile, 'utf8') }),
    ...(callbackUrl === '' ? {} : { callbackUrl }),
  };
}
