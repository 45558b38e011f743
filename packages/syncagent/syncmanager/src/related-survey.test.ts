import { afterEach, describe, expect, it } from '@jest/globals';
import { getIfExists } from '@hawser/client';
import type { SyncOptions } from '@hawser/syncagent-sync';
import { eventually } from '@hawser/testenv';
import { secretByImage } from './testing/secret-by-image.js';
import { CRONTABS, type WholeAgent, SECRETS, openWholeAgent } from './testing/whole-agent.js';

const PATIENT = { timeoutMs: 30_000 };
const TEAM = 'root:team-1';

describe('a related object of several objects, after a restart', () => {
  let agent: WholeAgent;

  afterEach(async () => {
    await agent.world.close();
  });

  const copyOfSecret = async (): Promise<string | undefined> =>
    (
      await getIfExists(agent.world.service, SECRETS, {
        namespace: `copies-${agent.world.kcp.kcp.find(TEAM)?.name ?? ''}`,
        name: 'shared',
      })
    )?.metadata.uid;

  it('stays as long as one of them is there, though the first list fails and the other one is looked at last', async () => {
    agent = await openWholeAgent({ related: [secretByImage()], claims: ['secrets'] });
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    await eventually(() =>
      agent.world.workspace(TEAM).create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'shared', namespace: 'default' },
        data: {},
      } as never),
    );
    for (const name of ['a', 'b']) {
      await agent.create(TEAM, name, { cronSpec: '*', image: 'shared' });
      await agent.placed(TEAM, name);
    }
    const uid = await eventually(async () => (await copyOfSecret()) ?? false);
    await eventually(() => {
      expect(agent.sync()?.counts()).toMatchObject({ objects: 2, failing: 0, held: 2 });
    });
    await agent.world.restart();
    // By its copy, what the other one refers to would be known before it was seen.
    const {
      metadata: { namespace = '' },
    } = await agent.placed(TEAM, 'b');
    await agent.world.service.delete(CRONTABS, { namespace, name: 'b' });
    await agent.world.workspace(TEAM).delete(CRONTABS, { namespace: 'default', name: 'a' });

    let failures = 1;
    agent.world.kcp.kcp.setFaults(({ path }, { resource, verb }) =>
      resource === 'crontabs' && verb === 'list' && path.startsWith('/services/') && failures-- > 0
        ? { instead: { status: 500, headers: {}, body: 'not now' } }
        : undefined,
    );
    const first = Promise.withResolvers<undefined>();
    const isSeen = (): boolean => {
      const active = agent.manager.engagements.flatMap(({ informers }) => informers.active);
      return ['crontabs', 'secrets'].every((name) =>
        active.some(({ spec, state }) => spec.resource.resource === name && state.phase === 'watching'),
      );
    };
    // Once the objects can be seen, the other one is looked at only after the one that goes has been.
    const during: SyncOptions['during'] = async (object, work) => {
      const [isFirst, isSeenNow] = [object.endsWith('/a'), isSeen()];
      if (!isFirst && agent.sync()?.counts().objects === 2) await first.promise;
      try {
        return await work();
      } finally {
        if (isFirst && isSeenNow) first.resolve(undefined);
      }
    };
    await agent.start({ during });
    await eventually(isSeen, PATIENT);
    agent.sync()?.recheck();
    await eventually(async () => {
      expect(await agent.crontab(TEAM, 'a')).toBeUndefined();
    }, PATIENT);
    expect(await copyOfSecret()).toBe(uid);
    await agent.world.workspace(TEAM).delete(CRONTABS, { namespace: 'default', name: 'b' });
    await eventually(async () => {
      expect([await agent.crontab(TEAM, 'b'), await copyOfSecret()]).toEqual([undefined, undefined]);
    }, PATIENT);
  });
});
