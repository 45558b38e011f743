import { beforeAll, expect } from '@jest/globals';
import type { RunningKcp } from '@hawser/kcp';
import { type APIExportEndpointSlice, resources as kcpResources } from '@hawser/kcp-api';
import { getCondition } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, remote } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, EXPORT } from './agent-system.js';
import { LONG } from './copies.js';

describeAgentSystem(
  'an agent on several shards of kcp',
  {
    name: 'agent-shards',
    shards: ['root', 'west'],
    rights: { publishedResources: databaseRights },
    needsEmbedded: true,
  },
  (system, it) => {
    const { install, publish, served, create, copyOf, placed, read, gone } = databasesOf(system);
    let a: ConsumerWorkspace;
    let b: ConsumerWorkspace;
    let c: ConsumerWorkspace;
    const embedded = (): RunningKcp => {
      const { embedded: kcp } = system().kcp;
      if (kcp === undefined) throw new Error('kcp is not in this process');
      return kcp;
    };
    const endpoints = async (): Promise<number> =>
      (await system().provider.get<APIExportEndpointSlice>(kcpResources.apiExportEndpointSlices, { name: EXPORT }))
        .status?.endpoints?.length ?? 0;

    beforeAll(async () => {
      await install();
      await system().startAgent();
      await publish();
    });

    it('serves the workspaces of all of them', async () => {
      [a, b] = await Promise.all([
        system().consumer('a', { shard: 'root' }),
        system().consumer('b', { shard: 'west' }),
      ]);
      await served(a, b);
      for (const workspace of [a, b]) await create(workspace, 'orders', { size: 'small' });
      const { metadata } = await placed(b, 'orders');
      await placed(a, 'orders');
      expect(await endpoints()).toBe(2);
      await system().service.client.patch(
        local,
        metadata,
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect((await read(b, 'orders')).status).toEqual({ phase: 'Ready' });
      }, LONG);
      expect((await read(a, 'orders')).status).toBeUndefined();
      await eventually(async () => {
        expect((await system().published('databases')).status?.counts).toEqual({
          objects: 2,
          workspaces: 2,
          failing: 0,
        });
      }, LONG);
    });

    it('goes to work on one that is added', async () => {
      embedded().kcp.addShard('east');
      c = await system().consumer('c', { shard: 'east' });
      await served(c);
      await create(c, 'orders', { size: 'small' });
      await placed(c, 'orders');
      expect(await endpoints()).toBe(3);
    });

    it('keeps the copies of one that is gone, and tells', async () => {
      embedded().kcp.removeShard('east');
      await eventually(async () => {
        const { status } = await system().published('databases');
        expect(status?.counts).toEqual({ objects: 2, workspaces: 2, failing: 0 });
        expect(getCondition(status?.conditions, 'ObjectsInSync')?.message).toContain('1 copy');
      }, LONG);
      expect(await copyOf(c, 'orders')).toMatchObject({
        spec: { size: 'small' },
        metadata: expect.not.objectContaining({ deletionTimestamp: expect.anything() }),
      });
      await create(a, 'after', { size: 'small' });
      await placed(a, 'after');
    });

    it('finds what was changed and deleted while kcp was down, though its history is compacted', async () => {
      const { kcp } = embedded();
      await embedded().down();
      const inA = kcp.find(a.path)?.objects;
      const present = inA?.get(remote, key('orders'));
      inA?.update(remote, { ...present, spec: { size: 'large' } });
      kcp.find(b.path)?.objects.delete(remote, key('orders'));
      kcp.compact();
      await embedded().up();
      await eventually(async () => {
        expect(await copyOf(a, 'orders')).toMatchObject({ spec: { size: 'large' } });
      }, LONG);
      await gone(b, 'orders');
      expect(await copyOf(b, 'orders')).toBeUndefined();
      await create(b, 'next', { size: 'small' });
      await placed(b, 'next');
      expect(await copyOf(a, 'after')).toBeDefined();
    });
  },
);
