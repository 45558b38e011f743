import { afterEach, describe, expect, it } from '@jest/globals';
import { type KubeObject, type Resource, getIfExists } from '@hawser/client';
import { type Logger, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import type { Rules } from '@hawser/syncagent-sync';
import { CRONTABS, SECRETS, type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const PATIENT = { timeoutMs: 30_000 };
const TEAM = 'root:team-1';
const OTHER = 'root:team-2';
const WORKSPACES: Resource = { group: 'tenancy.kcp.io', version: 'v1alpha1', resource: 'workspaces' };
const APIBINDINGS: Resource = { group: 'apis.kcp.io', version: 'v1alpha2', resource: 'apibindings' };

/** A Secret of the name, beside the object. */
const beside: Rules['related'][number] = {
  identifier: 'credentials',
  origin: 'kcp',
  cleanup: false,
  syncStatus: false,
  mutations: undefined,
  resources: { kcp: SECRETS, service: SECRETS },
  async resolve({ kcp, service }, readers) {
    const object = await readers.get(SECRETS, { namespace: kcp.metadata.namespace, name: 'beside' });
    return object === undefined
      ? []
      : [
          {
            origin: { namespace: kcp.metadata.namespace, name: 'beside', object },
            destination: { namespace: service.metadata.namespace, name: 'beside' },
          },
        ];
  },
};

describe('what is remembered of a workspace that nobody shows any more', () => {
  let agent: WholeAgent;

  afterEach(async () => {
    await agent.world.close();
  });

  /** Logical clusters that were looked at, and of which everything was kept. */
  const keptOf = new Set<unknown>();
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    info: (message, fields) => {
      if (message.startsWith('No endpoint shows a workspace')) keptOf.add(fields?.['workspace']);
    },
  };
  const clusters = new Map<string, string>();
  const remembered = async (path: string): Promise<number> =>
    (
      await agent.world.service.list<KubeObject>(SECRETS, {
        namespace: 'default',
        labelSelector: `syncagent.kcp.io/object-state=true,syncagent.kcp.io/remote-object-cluster=${clusters.get(path) ?? ''}`,
      })
    ).items.length;
  /** Both workspaces have an object, its copy and its state Secret; then the agent is down. */
  const synced = async (shard?: string, withRelated = false): Promise<void> => {
    keptOf.clear();
    agent = await openWholeAgent({
      logger,
      ...(withRelated ? { related: [beside], claims: ['secrets'] } : {}),
      ...(shard === undefined ? {} : { shards: ['root', shard] }),
    });
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    for (const path of [TEAM, OTHER]) {
      const { name } = await agent.world.bind(path, path === TEAM ? shard : undefined);
      clusters.set(path, name);
      if (withRelated)
        await eventually(() =>
          agent.world.workspace(path).create(SECRETS, {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'beside', namespace: 'default' },
            data: { key: 'eA==' },
          } as never),
        );
      await agent.create(path, 'one');
      await agent.placed(path, 'one');
      await eventually(async () => {
        expect(await remembered(path)).toBe(1);
      });
      if (withRelated)
        await eventually(async () => {
          expect(agent.sync()?.why(`${name}|default/one`).verdict.kind).toBe('inStep');
          expect(
            await getIfExists(agent.world.service, SECRETS, { namespace: `copies-${name}`, name: 'beside' }),
          ).toBeDefined();
        });
    }
    await eventually(async () => {
      expect(await agent.records()).toHaveLength(1);
    });
    await agent.world.restart();
  };
  const removeFinalizer = (): Promise<void> => agent.change(TEAM, 'one', { metadata: { finalizers: null } });
  const deleteWorkspace = async (): Promise<void> => {
    await agent.world.workspace('root').delete(WORKSPACES, { name: 'team-1' });
    await eventually(async () => {
      expect(await getIfExists(agent.world.workspace('root'), WORKSPACES, { name: 'team-1' })).toBeUndefined();
    });
  };
  const deleteCopy = (): Promise<unknown> =>
    agent.world.service.delete(CRONTABS, { namespace: `copies-${clusters.get(TEAM) ?? ''}`, name: 'one' });
  /** Everything has been looked at, and what may be forgotten besides. */
  const looked = async (): Promise<void> => {
    await agent.start();
    await eventually(() => {
      expect([...keptOf]).toEqual([clusters.get(TEAM)]);
    }, PATIENT);
  };

  it('is forgotten once kcp says that it does not exist, and no copy of it is left', async () => {
    await synced();
    await removeFinalizer();
    await deleteWorkspace();
    await looked();
    expect(await remembered(TEAM)).toBe(1);
    await deleteCopy();
    await eventually(async () => {
      expect(await remembered(TEAM)).toBe(0);
    }, PATIENT);
    expect(await agent.world.events('service', 'PublishedResource')).toContainEqual(
      expect.stringMatching(/^StateForgotten: 1 state Secret is deleted .*root:team-1/u),
    );
    expect(await remembered(OTHER)).toBe(1);
  }, 60_000);

  it('stays while something that was synced beside the object is left', async () => {
    await synced(undefined, true);
    await removeFinalizer();
    await agent.world
      .workspace(TEAM)
      .patch(
        SECRETS,
        { namespace: 'default', name: 'beside' },
        { type: 'merge', patch: { metadata: { finalizers: null } } },
      );
    await deleteWorkspace();
    await deleteCopy();
    await looked();
    expect(await remembered(TEAM)).toBe(1);
    await agent.world.service.delete(SECRETS, { namespace: `copies-${clusters.get(TEAM) ?? ''}`, name: 'beside' });
    await eventually(async () => {
      expect(await remembered(TEAM)).toBe(0);
    }, PATIENT);
  }, 60_000);

  it('stays where it was only unbound', async () => {
    await synced();
    await removeFinalizer();
    await agent.world.workspace(TEAM).delete(APIBINDINGS, { name: 'example' });
    await deleteCopy();
    await looked();
    expect(await remembered(TEAM)).toBe(1);
  }, 60_000);

  it('stays while the shard that had it is away', async () => {
    await synced('far');
    agent.world.kcp.kcp.removeShard('far');
    await deleteCopy();
    await looked();
    expect(await remembered(TEAM)).toBe(1);
  }, 60_000);
});
