import { readFileSync } from 'node:fs';

import type { Clock } from '@hawser/clock';
import type { Endpoint } from '@hawser/credentials';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { type Config, ConfigError } from '@hawser/config';

/** A mounted file is replaced within a minute or so of its change. */
const FRESH_MS = 60_000;

/**
 * How consumers reach the provider: as is set, else as this process does. The file of authorities is read again when it was read more than a minute ago; what was read before stays while it
 * cannot be read, or has no certificate. @throws ConfigError if it cannot be used from the start.
 */
export function consumerEndpoint(
  { external: { address, caFile, serverName } }: Config['provider'],
  connection: () => ConnectionConfig,
  clock: Clock,
): () => Endpoint {
  const authorities = caFile === '' ? undefined : followAuthorities(caFile, clock);
  return () => {
    const own = connection();
    return {
      server: address === '' ? own.server : address,
      caData: authorities === undefined ? own.caData : authorities(),
      ...(serverName === '' ? {} : { tlsServerName: serverName }),
    };
  };
}

function followAuthorities(file: string, clock: Clock): () => string {
  let known = readAuthorities(file);
  let readAt = clock.monotonic();
  return () => {
    if (clock.monotonic() - readAt < FRESH_MS) return known;
    readAt = clock.monotonic();
    try {
      known = readAuthorities(file);
    } catch (error) {
      // It may just be being replaced.
      if (!(error instanceof ConfigError)) throw error;
    }
    return known;
  };
}

function readAuthorities(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `provider.external.caFile: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`,
    );
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`provider.external.caFile: ${file} has no certificate in PEM`);
  return text;
}
