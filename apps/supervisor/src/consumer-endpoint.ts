import { readFileSync } from 'node:fs';

import type { Endpoint } from '@hawser/credentials';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { type Config, ConfigError } from './config.js';

/** How consumers reach the provider: as is set, else as this process does. The file is read once. @throws ConfigError if it cannot be read. */
export function consumerEndpoint({ external: { address, caFile, serverName } }: Config['provider'], connection: () => ConnectionConfig): () => Endpoint {
  const caData = caFile === '' ? undefined : authorities(caFile);
  return () => {
    const own = connection();
    return {
      server: address === '' ? own.server : address,
      caData: caData ?? own.caData,
      ...(serverName === '' ? {} : { tlsServerName: serverName }),
    };
  };
}

function authorities(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`provider.external.caFile: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new ConfigError(`provider.external.caFile: ${file} has no certificate in PEM`);
  return text;
}
