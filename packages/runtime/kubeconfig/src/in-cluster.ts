import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@hawser/clock';
import type { ConnectionConfig } from './connection.js';
import { connectionFrom } from './dynamic-connection.js';
import { WatchedFile } from './watched-file.js';

/** Folder with the ServiceAccount files of a pod. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Connection to the cluster of this pod, as its ServiceAccount; `undefined` outside a pod. Rereads token and
 * certificate authority when they are replaced.
 */
export async function inClusterConnection(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  clock: Clock,
): Promise<ConnectionConfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host === undefined || host === '' || port === undefined || port === '') return undefined;
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  return connectionFrom({
    base: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      ...(namespace === '' ? {} : { namespace }),
    },
    ca: new WatchedFile(join(folder, 'ca.crt'), clock),
    token: new WatchedFile(join(folder, 'token'), clock),
    cert: undefined,
    key: undefined,
    headers: {},
    plugin: undefined,
  });
}
