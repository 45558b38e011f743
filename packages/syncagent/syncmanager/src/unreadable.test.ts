import { afterEach, expect, it } from '@jest/globals';
import { eventually } from '@hawser/testenv';
import { type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const TEAM = 'root:team-1';
const PATIENT = { timeoutMs: 40_000 };
let agent: WholeAgent;

afterEach(async () => {
  await agent.world.close();
});

it.each(['crontabs', 'apibindings'])(
  'tells when lists of %s cannot be used, for as long as that lasts',
  async (unusable) => {
    agent = await openWholeAgent();
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    await agent.create(TEAM, 'one');
    await agent.placed(TEAM, 'one');
    await agent.world.restart();
    const { kcp } = agent.world.kcp;
    // As one that is longer than a client reads.
    kcp.setFaults(({ path }, { resource, verb }) =>
      resource === unusable && verb === 'list' && path.startsWith('/services/')
        ? {
            instead: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"kind":"List","items":[' },
          }
        : undefined,
    );
    await agent.start();
    const condition = async (): Promise<string> => {
      const { status } = await agent.world.published('a');
      const found = status?.conditions?.find(({ type }) => type === 'ObjectsInSync');
      return `${found?.status ?? ''} ${found?.reason ?? ''}: ${found?.message ?? ''}`;
    };
    await eventually(async () => {
      expect(await condition()).toMatch(
        /^False WorkspacesNotReadable: .*The operator must|^False WorkspacesNotReadable: .*The operator has to see why kcp does not answer/u,
      );
    }, PATIENT);
    expect(agent.sync()?.surveyed ?? false).toBe(false);
    kcp.setFaults(undefined);
    await eventually(async () => {
      expect(await condition()).toBe('True InStep: ');
    }, PATIENT);
  },
);
