import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@hawser/testenv';
import { type Admission, type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';
const TEAM = 'root:team-1';
const PATIENT = { timeoutMs: 30_000 };

describe('a finalizer that does not stick', () => {
  let agent: WholeAgent;

  afterEach(async () => { await agent.world.close(); });

  let touched = 0;
  const stripping: Admission = (patch) => ({ ...patch, metadata: { ...patch.metadata, finalizers: (patch.metadata?.finalizers ?? []).filter((name) => name !== FINALIZER) } });
  const strippingAndTouching: Admission = (patch, name) => {
    const { metadata, ...rest } = stripping(patch, name) as { readonly metadata: object };
    return { ...rest, metadata: { ...metadata, annotations: { touched: String(touched++) } } };
  };

  it.each([['and the write has no effect', stripping], ['and the write changes something else each time', strippingAndTouching]])('is set ever less often, %s, and it is told what becomes of the object', async (_title, admission) => {
    agent = await openWholeAgent();
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    agent.admission = admission;
    await agent.create(TEAM, 'one');
    await eventually(() => { expect(agent.patches.length).toBeGreaterThan(0); });
    await eventually(() => { expect(agent.sync()?.problems()).toMatchObject([{ reason: 'WritesUndone', actor: 'consumer', message: expect.stringMatching(/In the workspace, finalizer "syncagent\.kcp\.io\/cleanup".*No copy is made/u) }]); });
    await eventually(() => { expect(agent.patches.length).toBeGreaterThanOrEqual(5); }, PATIENT);
    // Three at once, then after 1 s and 2 s.
    const [first = 0, , , , fifth = 0] = agent.patches;
    expect(fifth - first).toBeGreaterThan(2_000);
    expect(agent.sync()?.problems()).toHaveLength(1);
    expect(await agent.copyOf(TEAM, 'one')).toBeUndefined();
    agent.admission = undefined;
    await eventually(async () => { expect(await agent.copyOf(TEAM, 'one')).toBeDefined(); }, PATIENT);
    await eventually(() => { expect(agent.sync()?.problems()).toEqual([]); }, PATIENT);
  });

  it('holds up no change of an object that has its copy', async () => {
    agent = await openWholeAgent();
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    await agent.create(TEAM, 'one');
    await agent.placed(TEAM, 'one');
    agent.admission = stripping;
    await agent.change(TEAM, 'one', { metadata: { finalizers: null } });
    await eventually(() => { expect(agent.sync()?.problems()).toMatchObject([{ reason: 'WritesUndone' }]); }, PATIENT);
    await agent.change(TEAM, 'one', { spec: { image: 'another' } });
    await eventually(async () => { expect(await agent.copyOf(TEAM, 'one')).toMatchObject({ spec: { image: 'another' } }); }, PATIENT);
  });
});
