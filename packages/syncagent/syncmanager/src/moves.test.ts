import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXPORT } from '@hawser/agent-world';
import type { KubeObject } from '@hawser/client';
import type { MoveOptions } from '@hawser/kcp';
import { resources as kcpResources } from '@hawser/kcp-api';
import { eventually } from '@hawser/testenv';
import { CRONTABS, type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const TEAM = 'root:team';
const PATIENT = { timeoutMs: 180_000, intervalMs: 100 };

describe('a workspace that moves to another shard of kcp', () => {
  let agent: WholeAgent;
  /** Requests to virtual workspaces, as `GET /shards/west/services/…`. */
  let requests: string[];

  afterEach(async () => {
    await agent.world.close();
  });

  const kcp = (): WholeAgent['world']['kcp']['kcp'] => agent.world.kcp.kcp;
  const clusterName = (): string => kcp().find(TEAM)?.name ?? '';
  const nameOf = (at: number): string => `object-${at}`;

  async function open(objects: number, shards: readonly string[] = ['root', 'west']): Promise<void> {
    agent = await openWholeAgent({ shards });
    requests = [];
    const handle = kcp().handle.bind(kcp());
    kcp().handle = (request, sink) => {
      if (/^(?:\/via\/[^/]+)?(?:\/shards\/[^/]+)?\/services\//u.test(request.path))
        requests.push(`${request.method} ${request.path}`);
      return handle(request, sink);
    };
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    await agent.create(TEAM, nameOf(0));
    for (let at = 1; at < objects; at++)
      kcp()
        .find(TEAM)
        ?.objects.create(CRONTABS, {
          apiVersion: 'example.com/v1',
          kind: 'CronTab',
          metadata: { name: nameOf(at), namespace: 'default' },
          spec: { cronSpec: '*' },
        });
    await inStep(objects);
  }

  /** All are looked at, have one copy and the finalizer, and nothing is wrong. */
  async function inStep(objects: number): Promise<void> {
    await eventually(async () => {
      const counts = agent.sync()?.counts();
      expect(counts).toEqual({ objects, workspaces: 1, failing: 0, orphans: 0, held: objects });
      expect((await copies()).length).toBe(objects);
      for (const at of [0, objects - 1])
        expect(agent.sync()?.why(`${clusterName()}|default/${nameOf(at)}`).verdict.kind).toBe('inStep');
    }, PATIENT);
  }

  /** Which copies there are, and whether one was written. */
  async function copies(): Promise<readonly string[]> {
    const { items } = await agent.world.service.list(CRONTABS);
    return items
      .map(({ metadata: { name, uid = '', resourceVersion = '' } }) => `${name} ${uid} ${resourceVersion}`)
      .sort();
  }

  /** A change goes down and a deletion through. */
  async function goesOn(): Promise<void> {
    await agent.change(TEAM, nameOf(0), { spec: { cronSpec: 'changed' } });
    await eventually(async () => {
      expect((await agent.copyOf(TEAM, nameOf(0)))?.['spec']).toMatchObject({ cronSpec: 'changed' });
    }, PATIENT);
    await agent.world.workspace(TEAM).delete(CRONTABS, { namespace: 'default', name: nameOf(1) });
    await eventually(async () => {
      expect(await agent.crontab(TEAM, nameOf(1))).toBeUndefined();
      expect(await agent.copyOf(TEAM, nameOf(1))).toBeUndefined();
    }, PATIENT);
  }

  describe('with many objects', () => {
    it.each<readonly [string, number, MoveOptions, readonly ('copy' | 'cleanUp')[]]>([
      ['is seen there before it is gone here', 1_000, {}, ['copy', 'cleanUp']],
      ['is gone here before it is seen there', 100, {}, ['cleanUp', 'copy']],
      ['and the watches of both shards are cut', 100, { cut: true }, ['copy', 'cleanUp']],
      ['the watches are cut, and it is gone here before it is seen there', 1_000, { cut: true }, ['cleanUp', 'copy']],
    ])(
      '%s: nothing is deleted, doubled or written, and each shard is listed a few times',
      async (_, objects, how, steps) => {
        await open(objects);
        const before = await copies();
        requests.length = 0;
        const move = kcp().beginMove(TEAM, 'west', how);
        for (const step of steps) {
          move[step]();
          // What the watches tell arrives.
          await eventually(async () => {
            if (step === 'cleanUp' && steps[0] === 'cleanUp') expect(agent.sync()?.counts().orphans).toBe(objects);
            expect((await copies()).length).toBe(objects);
          }, PATIENT);
        }
        move.finish();
        await inStep(objects);
        expect(await copies()).toEqual(before);
        const own = requests.filter((each) => each.includes('/crontabs'));
        expect(own.filter((each) => !each.startsWith('GET'))).toEqual([]);
        expect(own.filter((each) => !each.includes('watch=true')).length).toBeLessThanOrEqual(8);
        // Of the many objects that came at once, a slow machine may still be telling.
        expect(requests.filter((each) => !each.endsWith('/events')).length).toBeLessThanOrEqual(100);
        await goesOn();
      },
      300_000,
    );
  });

  it('is worked on where it is, though the shard that it was on cannot be asked', async () => {
    await open(3);
    // Others stay on both.
    await agent.world.bind('root:stays');
    await agent.world.bind('root:other', 'west');
    await eventually(() => {
      expect(agent.manager.engagements).toHaveLength(2);
    });
    kcp().setFaults(({ path }) => (path.startsWith('/services/') ? { instead: 'reset' } : undefined));
    // Whoever watches there hears no more of it.
    const move = kcp().beginMove(TEAM, 'west', { cut: true });
    move.finish();
    await goesOn();
  }, 200_000);

  it('leaves nothing behind that keeps a publication from ending, where the endpoint that it was at has gone', async () => {
    await open(3);
    kcp().beginMove(TEAM, 'west').finish();
    await eventually(() => {
      expect(agent.manager.engagements.map(({ url }) => url)).toEqual([expect.stringContaining('/shards/west/')]);
    }, PATIENT);
    await inStep(3);
    await agent.unpublish();
    await eventually(async () => {
      expect(await agent.records()).toEqual([]);
      expect((await agent.crontab(TEAM, nameOf(0)))?.metadata.finalizers ?? []).toEqual([]);
    }, PATIENT);
  }, 200_000);

  it('nor where it moved while the agent was down; what is on a shard that is away is awaited as before', async () => {
    await open(3);
    await agent.world.bind('root:stays');
    await agent.create('root:stays', 'one');
    await agent.placed('root:stays', 'one');
    await agent.world.restart();
    const moves = [TEAM, 'root:stays'].map((path) => kcp().beginMove(path, 'west'));
    moves[0]?.finish();
    moves[1]?.cleanUp();
    await agent.start();
    await eventually(() => {
      expect(agent.sync()?.counts()).toMatchObject({ objects: 3, workspaces: 1 });
    }, PATIENT);
    await agent.unpublish();
    await eventually(async () => {
      expect((await agent.crontab(TEAM, nameOf(0)))?.metadata.finalizers ?? []).toEqual([]);
    }, PATIENT);
    expect(await agent.records()).toHaveLength(1);
    moves[1]?.finish();
    await eventually(async () => {
      expect(await agent.records()).toEqual([]);
      expect((await agent.crontab('root:stays', 'one'))?.metadata.finalizers ?? []).toEqual([]);
    }, PATIENT);
  }, 200_000);

  it('keeps its objects and copies where its binding goes and another one serves the same schema', async () => {
    await open(3, ['root']);
    const before = await copies();
    const user = agent.world.workspace(TEAM);
    await user.create(kcpResources.apiBindings, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIBinding',
      metadata: { name: 'successor' },
      spec: { reference: { export: { path: 'root:provider', name: EXPORT } } },
    } as KubeObject);
    await agent.world.unbind(TEAM);
    await eventually(async () => {
      expect((await user.list(kcpResources.apiBindings)).items.map(({ metadata: { name } }) => name)).toEqual([
        'successor',
      ]);
    }, PATIENT);
    await inStep(3);
    expect(await copies()).toEqual(before);
    await goesOn();
  }, 200_000);

  describe('where several URLs show it', () => {
    beforeEach(async () => {
      await open(3, ['root']);
      kcp().setEndpoints((shards) =>
        shards.flatMap(({ name, urlVia }) => [
          { url: urlVia('everywhere'), shards: { matchAll: true } },
          { url: urlVia('eu'), shards: { selector: { matchLabels: { name } } } },
        ]),
      );
      await eventually(() => {
        expect(agent.manager.engagements).toHaveLength(2);
      });
    });

    it('is one workspace, worked on through the most specific of them', async () => {
      await inStep(3);
      const before = await copies();
      requests.length = 0;
      await agent.create(TEAM, nameOf(3));
      await agent.placed(TEAM, nameOf(3));
      await inStep(4);
      const writes = requests.filter((each) => !each.startsWith('GET') && each.includes('/crontabs'));
      expect(writes.map((each) => each.replace(/\?.*/u, ''))).toEqual([
        `PATCH /via/eu/services/apiexport/${agent.world.provider.name}/${EXPORT}/clusters/${clusterName()}/apis/example.com/v1/namespaces/default/crontabs/${nameOf(3)}`,
      ]);
      expect((await copies()).filter((each) => !each.startsWith(`${nameOf(3)} `))).toEqual(before);
    }, 200_000);

    it('goes on through the other one when that has gone', async () => {
      await inStep(3);
      kcp().setEndpoints((shards) =>
        shards.map(({ urlVia }) => ({ url: urlVia('everywhere'), shards: { matchAll: true } })),
      );
      await eventually(() => {
        expect(agent.manager.engagements).toHaveLength(1);
      });
      await inStep(3);
      await goesOn();
    }, 200_000);
  });
});
