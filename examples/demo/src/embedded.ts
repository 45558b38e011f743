import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiServer, createApiServer, listen } from '@hawser/apiserver';
import type { Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { loadKubeconfig } from '@hawser/kubeconfig';
import { apiUser } from './api-user.js';
import { type Cluster, openCluster } from './cluster.js';
import type { OpenOptions, Opening } from './clusters.js';
import { DemoError } from './demo-error.js';
import type { Table } from './table.js';
import type { Side } from './timeline.js';

/** Starts an API server in this process, and writes its access files: a kubeconfig, and a file for `curl --config`. */
export function startEmbedded(side: Side, { folder, signal }: OpenOptions): Opening {
  const adminToken = randomBytes(24).toString('base64url');
  const server = createApiServer({ adminToken, signingKey: randomBytes(32) });
  const listening = listen(server, { name: side });
  const open = async (): Promise<Cluster> => {
    const { kubeconfig, authority } = await listening;
    const kubeconfigFile = join(folder, `${side}.kubeconfig`);
    const authorityFile = join(folder, `${side}.ca.crt`);
    await Promise.all([
      writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 }),
      writeFile(authorityFile, authority),
      writeFile(
        curlFileOf(folder, side),
        `cacert = "${authorityFile}"\nheader = "Authorization: Bearer ${adminToken}"\nsilent\nshow-error\n`,
        { mode: 0o600 },
      ),
    ]);
    const connection = await loadKubeconfig({ file: kubeconfigFile, env: process.env, clock: systemClock });
    const tableOf = (resource: Resource, namespace: string | undefined): Promise<Table> =>
      askForTable(server, resource, namespace);
    return openCluster({ side, connection, kubeconfigFile, userOf: (client) => apiUser({ client, tableOf }), signal });
  };
  const cluster = open();
  cluster.catch(() => undefined);
  return {
    cluster,
    async close() {
      await cluster.then(
        (opened) => opened.close(),
        () => undefined,
      );
      server.stop();
      await listening.then(
        (listener) => listener.close(),
        () => undefined,
      );
    },
  };
}

/** For `curl --config`: the authority and the token of the demo's own cluster. */
export function curlFileOf(folder: string, side: Side): string {
  return join(folder, `${side}.curl`);
}

async function askForTable(
  server: ApiServer,
  { group, version, resource }: Resource,
  namespace: string | undefined,
): Promise<Table> {
  const { status, body } = await server.request({
    method: 'GET',
    path: `/apis/${group}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', authorization: `Bearer ${server.adminToken}` },
  });
  if (status !== 200) throw new DemoError('failed', `${resource}.${group} cannot be listed: ${body}`);
  return JSON.parse(body) as Table;
}
