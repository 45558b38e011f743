import { DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Rehearsal, createRehearsal } from './rehearsal.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const key = { namespace: 'default', name: 'one' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { size: 'small' } };
const purpose = { publishedResource: 'databases', object: 'ws1|team-a/one' };

describe.each([true, false])('a rehearsal that asks by dry runs: %s', (dryRun) => {
  let real: Client;
  let server: ReturnType<typeof createApiServer>;
  let rehearsal: Rehearsal;
  let client: Client;
  let open = 0;

  beforeEach(() => {
    server = createApiServer();
    real = createClient({
      name: 'service',
      connection: { server: 'https://service.invalid', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
    });
    rehearsal = createRehearsal({
      kcpServer: 'https://kcp.invalid/clusters/root',
      dryRun,
      onRequest: (by) => {
        open += by;
      },
    });
    client = rehearsal.service(real);
  });
  afterEach(async () => {
    expect(open).toBe(0);
    await real.close();
    server.stop();
  });

  const writes = (): readonly string[] => rehearsal.writes.map(({ verb, key: { name } }) => `${verb} ${name}`);

  it('shows what it would have written, and writes nothing', async () => {
    await rehearsal.during(purpose, () => client.create(configMaps, object));
    await client.patch(configMaps, key, { type: 'merge', patch: { data: { size: 'large' } } });
    expect((await client.get(configMaps, key))['data']).toEqual({ size: 'large' });
    expect(writes()).toEqual(['create one', 'patch one']);
    expect(rehearsal.writes.map(({ purpose: of }) => of)).toEqual([purpose, undefined]);
    await expect(real.get(configMaps, key)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('refuses what the server would refuse', async () => {
    await real.create(configMaps, object);
    await expect(client.create(configMaps, object)).rejects.toMatchObject({ code: 'AlreadyExists' });
    await expect(
      client.create(configMaps, { ...object, metadata: { namespace: 'nowhere', name: 'one' } }),
    ).rejects.toMatchObject({ code: 'NotFound' });
    const stale = { metadata: { uid: 'another' } };
    await expect(client.patch(configMaps, key, { type: 'merge', patch: stale })).rejects.toMatchObject({
      code: 'Conflict',
    });
    expect(writes()).toEqual([]);
  });

  it('makes objects in a namespace that it has made', async () => {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } });
    await client.create(configMaps, { ...object, metadata: { namespace: 'new', name: 'two' } });
    expect(writes()).toEqual(['create new', 'create two']);
  });

  it('deletes an object with its last finalizer', async () => {
    await real.create(configMaps, { ...object, metadata: { ...key, finalizers: ['example.com/keep'] } });
    expect((await client.delete(configMaps, key)).kind).toBe('terminating');
    await client.patch(configMaps, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await expect(client.get(configMaps, key)).rejects.toMatchObject({ code: 'NotFound' });
    const { items } = await client.list(configMaps, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('one');
    expect((await real.get(configMaps, key)).metadata.deletionTimestamp).toBeUndefined();
  });
});
