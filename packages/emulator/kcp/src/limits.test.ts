import { expect, test } from '@jest/globals';
import { createKcp } from './create-kcp.js';
import { bind, exportDatabases, made } from './testing/databases.js';
import { eventually } from './testing/eventually.js';
import { request } from './testing/request.js';

test('a workspace that has as many objects as it may have gets no more, and says so; events and what is there already are not concerned', async () => {
  const kcp = createKcp();
  try {
    const { name: cluster } = await kcp.createWorkspace('root:team');
    const secrets = `/clusters/${cluster}/api/v1/namespaces/default/secrets`;
    const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    await made(kcp, secrets, secret('one'));
    const limit = async (objects: string | null): Promise<void> => {
      const { status } = await request(
        kcp,
        'PATCH',
        `/clusters/${cluster}/apis/core.kcp.io/v1alpha1/logicalclusters/cluster`,
        { metadata: { annotations: { 'core.kcp.io/max-total-objects': objects } } },
        { contentType: 'application/merge-patch+json' },
      );
      expect(status).toBe(200);
    };
    await limit('2');
    expect(await request(kcp, 'POST', secrets, secret('two'))).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: expect.stringMatching(
          new RegExp(
            `^secrets "two" is forbidden: logical cluster "${cluster}" has reached its total object count limit \\(\\d+/2 objects\\); `,
          ),
        ),
      },
    });
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { namespace: 'default', name: 'one' },
    };
    await made(kcp, `/clusters/${cluster}/api/v1/namespaces/default/events`, event);
    expect((await request(kcp, 'DELETE', `${secrets}/one`)).status).toBe(200);
    await limit(null);
    await made(kcp, secrets, secret('two'));
  } finally {
    kcp.stop();
  }
});

test('what a binding that goes has brought stays where another binding serves it by the same schema', async () => {
  const kcp = createKcp();
  try {
    await kcp.createWorkspace('root:provider');
    const { name: cluster } = await kcp.createWorkspace('root:team');
    await exportDatabases(kcp, 'root:provider');
    await bind(kcp, 'root:team', 'root:provider');
    const bindings = `/clusters/${cluster}/apis/apis.kcp.io/v1alpha2/apibindings`;
    const objects = `/clusters/${cluster}/apis/example.com/v1/namespaces/default/databases`;
    await made(kcp, objects, { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'one' } });
    await made(kcp, bindings, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIBinding',
      metadata: { name: 'successor' },
      spec: { reference: { export: { path: 'root:provider', name: 'example.com' } } },
    });
    expect((await request(kcp, 'DELETE', `${bindings}/example`)).status).toBe(200);
    await eventually(async () => {
      expect((await request(kcp, 'GET', `${bindings}/example`)).status).toBe(404);
      expect((await request(kcp, 'GET', `${bindings}/successor`)).body).toMatchObject({ status: { phase: 'Bound' } });
      expect((await request(kcp, 'GET', `${objects}/one`)).body).toMatchObject({ metadata: { name: 'one' } });
    });
    expect((await request(kcp, 'DELETE', `${bindings}/successor`)).status).toBe(200);
    await eventually(async () => {
      expect((await request(kcp, 'GET', `${bindings}/successor`)).status).toBe(404);
    });
  } finally {
    kcp.stop();
  }
});

test('an endpoint can say which shards it serves, and URLs can overlap', async () => {
  const kcp = createKcp();
  try {
    const provider = await kcp.createWorkspace('root:provider');
    await kcp.createWorkspace('root:team');
    await exportDatabases(kcp, 'root:provider');
    await bind(kcp, 'root:team', 'root:provider');
    kcp.setEndpoints((shards) =>
      shards.flatMap(({ name, urlVia }) => [
        { url: urlVia('everywhere'), shards: { matchAll: true } },
        { url: urlVia('eu'), shards: { selector: { matchLabels: { name } } } },
      ]),
    );
    const path = `services/apiexport/${provider.name}/example.com`;
    await eventually(async () => {
      const { body } = await request(
        kcp,
        'GET',
        '/clusters/root:provider/apis/apis.kcp.io/v1alpha1/apiexportendpointslices/example.com',
      );
      expect(body).toMatchObject({
        status: {
          endpoints: [
            { url: `https://kcp.default.svc/via/everywhere/${path}`, shards: { matchAll: true } },
            { url: `https://kcp.default.svc/via/eu/${path}`, shards: { selector: { matchLabels: { name: 'root' } } } },
          ],
        },
      });
    });
    const { status } = await request(kcp, 'GET', `/via/eu/${path}/clusters/*/apis/example.com/v1/databases`);
    expect(status).toBe(200);
  } finally {
    kcp.stop();
  }
});
