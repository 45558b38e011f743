import { expect, test } from '@jest/globals';
import { createKcp } from './create-kcp.js';
import { request } from './testing/request.js';
import { bind, claim, databases, exportDatabases } from './testing/databases.js';
import { eventually } from './testing/eventually.js';

test('a workspace is reached by its path and by the name of its logical cluster', async () => {
  const kcp = createKcp();
  try {
    const provider = await kcp.createWorkspace('root:org:provider');
    for (const reference of ['root:org:provider', provider.name]) {
      const answer = await request(
        kcp,
        'GET',
        `/clusters/${reference}/apis/core.kcp.io/v1alpha1/logicalclusters/cluster`,
      );
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        metadata: { annotations: { 'kcp.io/cluster': provider.name, 'kcp.io/path': 'root:org:provider' } },
      });
    }
  } finally {
    kcp.stop();
  }
});

test('a provider sees through the virtual workspace what consumers make', async () => {
  const kcp = createKcp();
  try {
    const provider = await kcp.createWorkspace('root:provider');
    const a = await kcp.createWorkspace('root:a');
    const b = await kcp.createWorkspace('root:b');
    await exportDatabases(kcp, 'root:provider', [claim('secrets')]);
    await bind(kcp, 'root:a', 'root:provider', [claim('secrets')]);
    await bind(kcp, 'root:b', 'root:provider', []);
    const base = `/services/apiexport/${provider.name}/example.com/clusters`;
    for (const cluster of [a, b]) {
      const made = await request(kcp, 'POST', `/clusters/${cluster.name}/${databases}`, {
        apiVersion: 'example.com/v1',
        kind: 'Database',
        metadata: { name: 'one' },
        spec: { size: 'small' },
      });
      expect(made.status).toBe(201);
    }
    const all = await request(kcp, 'GET', `${base}/*/apis/example.com/v1/databases`);
    expect(all.status).toBe(200);
    expect(
      (all.body as { items: { metadata: { annotations: Record<string, string> } }[] }).items
        .map((item) => item.metadata.annotations['kcp.io/cluster'])
        .sort(),
    ).toEqual([a.name, b.name].sort());
    const patched = await request(
      kcp,
      'PATCH',
      `${base}/${a.name}/${databases}/one/status`,
      { status: { phase: 'Ready' } },
      { contentType: 'application/merge-patch+json' },
    );
    expect(patched.status).toBe(200);
    expect(
      (
        await request(kcp, 'POST', `${base}/${a.name}/api/v1/namespaces/default/secrets`, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's' },
        })
      ).status,
    ).toBe(201);
    expect(
      (
        await request(kcp, 'POST', `${base}/${b.name}/api/v1/namespaces/default/secrets`, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's' },
        })
      ).status,
    ).toBe(403);
    await eventually(async () => {
      const slice = await request(
        kcp,
        'GET',
        '/clusters/root:provider/apis/apis.kcp.io/v1alpha1/apiexportendpointslices/example.com',
      );
      expect(slice.body).toMatchObject({
        status: { endpoints: [{ url: expect.stringContaining(`/services/apiexport/${provider.name}/example.com`) }] },
      });
    });
  } finally {
    kcp.stop();
  }
});
