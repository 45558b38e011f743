import { afterEach, expect, it } from '@jest/globals';
import { eventually } from '@hawser/testenv';
import { type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const TEAM = 'root:team-1';
let agent: WholeAgent;

afterEach(async () => { await agent.world.close(); });

it('the copy has what a mutating admission adds when the finalizer is set', async () => {
  agent = await openWholeAgent();
  await agent.makeSlice();
  await agent.start();
  await agent.publish();
  await agent.world.bind(TEAM);
  agent.admission = (patch) => ({ ...patch, spec: { image: 'added' } });
  for (const name of ['one', 'two', 'three']) await agent.create(TEAM, name);
  for (const name of ['one', 'two', 'three']) {
    await agent.placed(TEAM, name);
    await eventually(() => { expect(agent.sync()?.why(`${agent.world.kcp.kcp.find(TEAM)?.name ?? ''}|default/${name}`).verdict).toEqual({ kind: 'inStep' }); });
    expect(await agent.crontab(TEAM, name)).toMatchObject({ spec: { image: 'added' } });
    expect(await agent.copyOf(TEAM, name)).toMatchObject({ spec: { image: 'added' } });
  }
  expect(agent.sync()?.problems()).toEqual([]);
});
