import { readFileSync } from 'node:fs';

import type { Clock } from '@hawser/clock';
import type { Endpoint } from '@hawser/credentials';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { type Config, ConfigError } from '@hawser/config';

/** Kubernetes replaces a mounted file within about a minute of its change. */
const FRESH_MS = 60_000;

/**
 * How consumers reach the provider: as configured, else as this process does. Rereads the file of authorities after a
 * minute. While it is unreadable, or has no certificate, the previous content stays.
 * @throws ConfigError if it is unusable from the start.
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
      // The file may be in the middle of a replacement.
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
