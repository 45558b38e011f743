import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@hawser/testenv';
import { SECRETS, type WholeAgent, type WholeAgentOptions, openWholeAgent } from './testing/whole-agent.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';
const PATIENT = { timeoutMs: 30_000 };

describe('a publication that ends', () => {
  let agent: WholeAgent;

  afterEach(async () => {
    await agent.world.close();
  });

  /** CronTabs are published, and workspaces of the first shard, or of those named, have one each, with its copy. */
  const publishing = async (
    where: Readonly<Record<string, string | undefined>>,
    options: WholeAgentOptions = {},
  ): Promise<void> => {
    agent = await openWholeAgent(options);
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    for (const [path, shard] of Object.entries(where)) {
      await agent.world.bind(path, shard);
      await agent.create(path, 'one');
      await agent.placed(path, 'one');
    }
  };
  const finalizersIn = async (path: string): Promise<readonly string[] | undefined> =>
    (await agent.crontab(path, 'one'))?.metadata.finalizers;
  const letGo = (path: string): Promise<unknown> =>
    eventually(async () => {
      expect(await finalizersIn(path)).toBeUndefined();
    }, PATIENT);
  const closed = (): Promise<unknown> =>
    eventually(async () => {
      expect(await agent.records()).toEqual([]);
      expect(agent.manager.publications).toEqual([]);
    }, PATIENT);

  it('is over when every object is let go, and not before', async () => {
    await publishing({ 'root:team-1': undefined });
    expect(await finalizersIn('root:team-1')).toEqual([FINALIZER]);
    await agent.unpublish();
    await letGo('root:team-1');
    await closed();
    expect(await agent.copyOf('root:team-1', 'one')).toBeDefined();
  });

  it('is not over while the endpoint slice is made anew', async () => {
    await publishing({ 'root:team-1': undefined });
    await agent.removeSlice();
    await eventually(() => {
      expect(agent.manager.engagements).toEqual([]);
    });
    await agent.unpublish();
    await eventually(() => {
      expect(agent.manager.syncOf('a')).toBeUndefined();
    });
    await looks();
    expect(await agent.records()).toHaveLength(1);
    await agent.makeSlice();
    await letGo('root:team-1');
    await closed();
  });

  it('is not over because objects cannot be listed at a start', async () => {
    await publishing({ 'root:team-1': undefined });
    await agent.world.restart();
    await agent.unpublish();
    const { kcp } = agent.world.kcp;
    let refused = 0;
    kcp.setFaults(({ path }, { resource }) => {
      if (resource !== 'crontabs' || !path.startsWith('/services/')) return undefined;
      refused++;
      return { instead: { status: 500, headers: {}, body: 'not now' } };
    });
    await agent.start();
    await eventually(async () => {
      expect(refused >= 5 || (await agent.records()).length === 0).toBe(true);
    }, PATIENT);
    await looks();
    expect(await agent.records()).toHaveLength(1);
    kcp.setFaults(undefined);
    await letGo('root:team-1');
    await closed();
  });

  it('is not over while a shard on which it had objects is missing from the slice', async () => {
    await publishing({ 'root:team-1': undefined, 'root:team-2': 'west' }, { shards: ['root', 'west'] });
    await agent.world.restart();
    await agent.unpublish();
    // As the slice shows it while it is filled.
    const show = hideShard('west');
    await agent.start();
    await letGo('root:team-1');
    await looks();
    expect(await agent.records()).toHaveLength(1);
    expect(await finalizersIn('root:team-2')).toEqual([FINALIZER]);
    show();
    await agent.touchSlice();
    await letGo('root:team-2');
    await closed();
  });

  it('says which shard is missing, and is over without it once the operator says that it never comes back', async () => {
    await publishing({ 'root:team-1': undefined, 'root:team-2': 'west' }, { shards: ['root', 'west'] });
    const url =
      agent.manager.engagements.map((engagement) => engagement.url).find((one) => one.includes('/shards/west/')) ?? '';
    agent.world.kcp.kcp.removeShard('west');
    await agent.unpublish();
    await letGo('root:team-1');
    const event = await eventually(
      async () =>
        (await agent.world.events('service', 'PublishedResource')).find((line) =>
          line.startsWith('EndpointMissing: '),
        ) ?? false,
      PATIENT,
    );
    expect(event).toContain(`"default/hawser-publications.textor" with "hawser.dev/lost-endpoints: ${url}"`);
    await looks();
    expect(await agent.records()).toHaveLength(1);
    await agent.world.service.patch(
      SECRETS,
      { namespace: 'default', name: 'hawser-publications.textor' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/lost-endpoints': url } } } },
    );
    agent.manager.report();
    await closed();
  });

  it('is over although a shard is gone from the slice, where nothing of it was left there', async () => {
    await publishing({ 'root:team-1': undefined, 'root:team-2': 'west' }, { shards: ['root', 'west'] });
    await agent.world.unbind('root:team-2');
    await eventually(() => {
      expect(agent.manager.engagements).toHaveLength(1);
    }, PATIENT);
    await agent.unpublish();
    await letGo('root:team-1');
    await closed();
  });

  /** Looks at all that ends, again and again. */
  async function looks(): Promise<void> {
    for (let at = 0; at < 20; at++) {
      agent.manager.report();
      await agent.records();
    }
  }

  /** Answers about endpoint slices, watches included, have no endpoint of this shard until it is shown. */
  function hideShard(name: string): () => void {
    let hidden = true;
    agent.world.kcp.kcp.setFaults((_request, { resource }) =>
      resource === 'apiexportendpointslices'
        ? {
            wrap: (sink) => ({
              ...sink,
              head: (status, headers) => {
                sink.head(
                  status,
                  Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== 'content-length')),
                );
              },
              data: (chunk) => {
                sink.data(
                  !hidden
                    ? chunk
                    : chunk.replaceAll(new RegExp(`,?\\{"url":"[^"]*/shards/${name}/[^"]*"\\}`, 'gu'), ''),
                );
              },
              end: () => {
                sink.end();
              },
              fail: (error) => {
                sink.fail(error);
              },
            }),
          }
        : undefined,
    );
    return () => {
      hidden = false;
    };
  }
});
