import { afterEach, describe, expect, it } from '@jest/globals';
import { getIfExists } from '@hawser/client';
import { resources as kcpResources } from '@hawser/kcp-api';
import { hawserAnnotations } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { secretByImage } from './testing/secret-by-image.js';
import { SECRETS, type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const TEAM = 'root:team';
const PATIENT = { timeoutMs: 30_000, intervalMs: 50 };
const LIMIT = 'core.kcp.io/max-total-objects';

describe('a workspace that may not have more objects', () => {
  let agent: WholeAgent;

  afterEach(async () => {
    await agent.world.close();
  });

  it('has that told on the object that needs one more, with who must act; it is not tried in a loop, and comes once there is room', async () => {
    agent = await openWholeAgent({ related: [secretByImage('service')], claims: ['secrets', 'events'] });
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    const { name: cluster } = await agent.world.bind(TEAM);
    await agent.create(TEAM, 'one', { cronSpec: '*', image: 'connection' });
    await agent.placed(TEAM, 'one');
    await limit('1');
    let posts = 0;
    agent.world.kcp.kcp.setFaults(({ method }, { resource }) => {
      if (method === 'POST' && resource === 'secrets') posts++;
      return undefined;
    });
    await agent.world.service.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: `copies-${cluster}`, name: 'connection' },
      data: { key: 'eA==' },
    } as never);
    const problem = (): ReturnType<NonNullable<ReturnType<WholeAgent['sync']>>['why']>['problem'] =>
      agent.sync()?.why(`${cluster}|default/one`).problem;
    await eventually(() => {
      expect(problem()).toMatchObject({
        reason: 'WorkspaceFull',
        actor: 'consumer',
        message: expect.stringMatching(/total object count limit \(\d+\/1 objects\).*Delete objects/u),
      });
    }, PATIENT);
    await eventually(async () => {
      const { items } = await agent.world
        .workspace(TEAM)
        .list({ group: '', version: 'v1', resource: 'events' }, { namespace: 'default' });
      expect(items).toContainEqual(expect.objectContaining({ reason: 'WorkspaceFull', type: 'Warning' }));
    }, PATIENT);
    for (let at = 0; at < 10; at++) {
      await agent.change(TEAM, 'one', { spec: { cronSpec: String(at) } });
      await eventually(async () => {
        expect((await agent.copyOf(TEAM, 'one'))?.['spec']).toMatchObject({ cronSpec: String(at) });
      }, PATIENT);
    }
    expect(posts).toBeLessThanOrEqual(6);
    await limit(null);
    await agent.change(TEAM, 'one', { metadata: { annotations: { [hawserAnnotations.retryAt]: 'now' } } });
    await eventually(async () => {
      const secret = await getIfExists(agent.world.workspace(TEAM), SECRETS, {
        namespace: 'default',
        name: 'connection',
      });
      expect(secret?.['data']).toEqual({ key: 'eA==' });
      expect(problem()).toBeUndefined();
    }, PATIENT);
  }, 60_000);

  async function limit(objects: string | null): Promise<void> {
    await agent.world
      .workspace(TEAM)
      .patch(
        kcpResources.logicalClusters,
        { name: 'cluster' },
        { type: 'merge', patch: { metadata: { annotations: { [LIMIT]: objects } } } },
      );
  }
});
