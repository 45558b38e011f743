import { afterEach, expect, it } from '@jest/globals';
import { getIfExists } from '@hawser/client';
import { eventually } from '@hawser/testenv';
import { secretByImage } from './testing/secret-by-image.js';
import { SECRETS, type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const TEAM = 'root:team-1';
let agent: WholeAgent;

afterEach(async () => {
  await agent.world.close();
});

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
    await eventually(() => {
      expect(agent.sync()?.why(`${agent.world.kcp.kcp.find(TEAM)?.name ?? ''}|default/${name}`).verdict).toEqual({
        kind: 'inStep',
      });
    });
    expect(await agent.crontab(TEAM, name)).toMatchObject({ spec: { image: 'added' } });
    expect(await agent.copyOf(TEAM, name)).toMatchObject({ spec: { image: 'added' } });
  }
  expect(agent.sync()?.problems()).toEqual([]);
});

it('so has the copy of a related object, which has no generation to tell by', async () => {
  agent = await openWholeAgent({ related: [secretByImage()], claims: ['secrets'] });
  await agent.makeSlice();
  await agent.start();
  await agent.publish();
  await agent.world.bind(TEAM);
  agent.admission = (patch, _name, resource) =>
    resource === 'secrets' ? { ...patch, data: { added: 'YQ==' } } : patch;
  for (const name of ['one', 'two', 'three']) {
    await eventually(() =>
      agent.world.workspace(TEAM).create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default' },
        data: { own: 'Yg==' },
      } as never),
    );
    await agent.create(TEAM, name, { image: name });
    const {
      metadata: { namespace },
    } = await agent.placed(TEAM, name);
    await eventually(async () => {
      expect(await getIfExists(agent.world.service, SECRETS, { namespace, name })).toMatchObject({
        data: { own: 'Yg==', added: 'YQ==' },
      });
    });
  }
  expect(agent.sync()?.problems()).toEqual([]);
});
