import { request } from 'node:https';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { type FaultProxy, createFaultProxy } from './index.js';

describeWithControlPlane('the proxy in front of an API server', () => {
  let cluster: SharedControlPlane;
  let proxy: FaultProxy;
  let namespace: string;

  beforeAll(async () => {
    cluster = await sharedControlPlane('provider');
    namespace = uniqueNamespace();
    await cluster.kubectl(['create', 'namespace', namespace]);
    proxy = await createFaultProxy({ upstream: cluster.connection });
  });
  afterAll(async () => {
    await proxy.stop();
  });

  function get(
    connection: ConnectionConfig,
    path: string,
  ): Promise<{ status: number; text: () => string; close: () => void }> {
    return new Promise((resolve, reject) => {
      const url = new URL(connection.server);
      const headers =
        connection.credentials.kind === 'token' ? { authorization: `Bearer ${connection.credentials.token}` } : {};
      const outgoing = request(
        { host: url.hostname, port: url.port, path, ca: connection.caData, headers, agent: false },
        (incoming) => {
          let text = '';
          incoming.on('data', (chunk) => {
            text += String(chunk);
          });
          incoming.on('error', () => {
            /* closed by the test */
          });
          resolve({
            status: incoming.statusCode!,
            text: () => text,
            close: () => {
              outgoing.destroy();
            },
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  it('is the administrator for a client without credentials, and the ServiceAccount for one with its token', async () => {
    expect((await get(proxy.connection, `/api/v1/namespaces/${namespace}/secrets`)).status).toBe(200);
    const { connection } = await cluster.serviceAccountAccess(namespace, 'nobody');
    const refused = await get(proxy.connectionWith(connection.credentials), `/api/v1/namespaces/${namespace}/secrets`);
    expect(refused.status).toBe(403);
    await eventually(() => {
      expect(refused.text()).toContain(`system:serviceaccount:${namespace}:nobody`);
    });
  });

  it('silences a watch that the server goes on serving', async () => {
    proxy.inject({ times: 1, match: { watch: true }, fault: { kind: 'silence', afterEvents: 1 } });
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1`;
    const [silenced, healthy] = [await get(proxy.connection, path), await get(proxy.connection, path)];
    for (const name of ['one', 'two']) await cluster.kubectl(['-n', namespace, 'create', 'configmap', name]);
    await eventually(() => {
      expect(healthy.text()).toMatch(/"name":"one"[^]*"name":"two"/u);
    });
    expect(silenced.text()).toContain('"name":"one"');
    expect(silenced.text()).not.toContain('"name":"two"');
    silenced.close();
    healthy.close();
    await eventually(() => proxy.openRequests === 0 && proxy.connections === 0);
  });
});
