import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@hawser/json';
import { type Kcp, createKcp } from './create-kcp.js';
import { bind, claim, databases, exportDatabases, made } from './testing/databases.js';
import { eventually } from './testing/eventually.js';
import { request } from './testing/request.js';
import { eventLines, watch } from './testing/watch.js';

const ALL = 'apis/example.com/v1/databases';

describe('a workspace that moves to another shard', () => {
  let kcp: Kcp;
  let cluster: string;
  let at: (shard: string, target?: string) => string;

  beforeEach(async () => {
    kcp = createKcp({ shards: ['root', 'west'] });
    const provider = await kcp.createWorkspace('root:provider');
    at = (shard, target = '*') =>
      `${shard === 'root' ? '' : `/shards/${shard}`}/services/apiexport/${provider.name}/example.com/clusters/${target}`;
    await exportDatabases(kcp, 'root:provider', [claim('secrets')]);
    ({ name: cluster } = await kcp.createWorkspace('root:team'));
    await bind(kcp, 'root:team', 'root:provider', [claim('secrets')]);
    await made(kcp, `/clusters/${cluster}/${databases}`, database('one'));
  });

  afterEach(() => {
    kcp.stop();
  });

  async function object(path: string): Promise<JsonObject> {
    const { status, body } = await request(kcp, 'GET', path);
    expect(status).toBe(200);
    return body as JsonObject;
  }

  test('has the same objects there, with other versions, and is shown through the other URL alone', async () => {
    const before = await object(`/clusters/root:team/${databases}/one`);
    for (let at = 0; at < 5; at++) kcp.find('root:team')?.shard.store.skipRevision();
    kcp.beginMove('root:team', 'west').finish();
    const after = await object(`/clusters/root:team/${databases}/one`);
    expect(withoutVersion(after)).toEqual(withoutVersion(before));
    expect(after).not.toEqual(before);
    expect(await object(`${at('west', cluster)}/${databases}/one`)).toEqual(after);
    expect((await request(kcp, 'GET', `${at('root', cluster)}/${databases}/one`)).status).toBe(403);
    expect((await object(`${at('west')}/${ALL}`))['items']).toHaveLength(1);
    await eventually(async () => {
      const slice = await object(
        '/clusters/root:provider/apis/apis.kcp.io/v1alpha1/apiexportendpointslices/example.com',
      );
      expect(slice).toMatchObject({ status: { endpoints: [{ url: expect.stringContaining('/shards/west/') }] } });
    });
    for (const path of [
      '/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces/team',
      '/clusters/root:team/apis/core.kcp.io/v1alpha1/logicalclusters/cluster',
    ])
      expect(await object(path)).toMatchObject({ metadata: { annotations: { 'core.kcp.io/shard': 'west' } } });
    await made(kcp, `/clusters/${cluster}/${databases}`, database('two'));
    await made(kcp, `${at('west', cluster)}/api/v1/namespaces/default/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
    });
  });

  test('answers 503 meanwhile, and 410 to whoever goes on from a version', async () => {
    const move = kcp.beginMove('root:team', 'west');
    for (const path of [
      `/clusters/${cluster}/${databases}/one`,
      `/clusters/root:team/${databases}`,
      `${at('root', cluster)}/${databases}/one`,
    ])
      expect(await request(kcp, 'GET', path)).toMatchObject({ status: 503, body: expect.stringContaining('migrated') });
    expect(await request(kcp, 'GET', `/clusters/${cluster}/${databases}?resourceVersion=7`)).toMatchObject({
      status: 410,
      body: { reason: 'Expired' },
    });
    move.finish();
    expect((await request(kcp, 'GET', `/clusters/root:team/${databases}/one`)).status).toBe(200);
  });

  test('ends the watches of the workspace, and tells those of the shards that its objects are made there and gone here', async () => {
    const own = watch(kcp, `/clusters/${cluster}/${databases}?watch=true`);
    const [before, after] = ['root', 'west'].map((shard) => watch(kcp, `${at(shard)}/${ALL}?watch=true`));
    await shown(() => {
      expect(before && eventLines(before)).toEqual(['ADDED one']);
    });
    const move = kcp.beginMove('root:team', 'west');
    await shown(() => {
      expect(own.state.ended).toBe(true);
    });
    move.copy();
    const there = after?.state.status === 200 ? after : watch(kcp, `${at('west')}/${ALL}?watch=true`);
    await shown(() => {
      expect(eventLines(there)).toEqual(['ADDED one']);
    });
    expect(before && eventLines(before)).toEqual(['ADDED one']);
    move.cleanUp();
    await shown(() => {
      expect(before && eventLines(before)).toEqual(['ADDED one', 'DELETED one']);
    });
    expect(before?.state.ended).toBe(false);
    move.finish();
  });

  test('can be gone on one shard before it is on the other, and cut the watches of both', async () => {
    const before = watch(kcp, `${at('root')}/${ALL}?watch=true`);
    await shown(() => {
      expect(eventLines(before)).toEqual(['ADDED one']);
    });
    const version = kcp.find('root:team')?.shard.store.revision ?? 0;
    const move = kcp.beginMove('root:team', 'west', { cut: true });
    move.cleanUp();
    await shown(() => {
      expect(before.state.ended).toBe(true);
    });
    expect(eventLines(before)).toEqual(['ADDED one']);
    const again = watch(kcp, `${at('root')}/${ALL}?watch=true&resourceVersion=${version}`);
    await shown(() => {
      expect(again.state.ended).toBe(true);
    });
    move.finish();
    expect((await object(`${at('west')}/${ALL}`))['items']).toHaveLength(1);
  });

  test('can come back', async () => {
    kcp.beginMove('root:team', 'west').finish();
    kcp.beginMove('root:team', 'root').finish();
    expect((await object(`${at('root')}/${ALL}`))['items']).toHaveLength(1);
    await bindsStill(kcp, cluster);
  });
});

function shown(look: () => void): Promise<void> {
  return eventually(() => {
    look();
    return Promise.resolve();
  });
}

/** What is bound is served by the new server of the workspace, with its rules. */
async function bindsStill(kcp: Kcp, cluster: string): Promise<void> {
  await made(kcp, `/clusters/${cluster}/${databases}`, database('after'));
  const { status } = await request(kcp, 'DELETE', `/clusters/${cluster}/apis/apis.kcp.io/v1alpha2/apibindings/example`);
  expect(status).toBe(200);
  await eventually(async () => {
    expect((await request(kcp, 'GET', `/clusters/${cluster}/${databases}`)).status).toBe(404);
  });
}

function database(name: string): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name }, spec: { size: 'small' } };
}

function withoutVersion({ metadata, ...rest }: JsonObject): JsonObject {
  return { ...rest, metadata: { ...(metadata as JsonObject), resourceVersion: '' } };
}
