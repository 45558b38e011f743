import { afterEach, describe, expect, it } from '@jest/globals';
import { getIfExists } from '@hawser/client';
import { eventually } from '@hawser/testenv';
import { secretByImage } from './testing/secret-by-image.js';
import { type Admission, SECRETS, type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';
const TEAM = 'root:team-1';
const PATIENT = { timeoutMs: 30_000 };

describe('a finalizer that does not stick', () => {
  let agent: WholeAgent;

  afterEach(async () => {
    await agent.world.close();
  });

  let touched = 0;
  const stripping: Admission = (patch) => ({
    ...patch,
    metadata: {
      ...patch.metadata,
      finalizers: (patch.metadata?.finalizers ?? []).filter((name) => name !== FINALIZER),
    },
  });
  const strippingAndTouching: Admission = (patch, name, resource) => {
    const { metadata, ...rest } = stripping(patch, name, resource) as { readonly metadata: object };
    return { ...rest, metadata: { ...metadata, annotations: { touched: String(touched++) } } };
  };

  it.each([
    ['and the write has no effect', stripping],
    ['and the write changes something else each time', strippingAndTouching],
  ])('is set ever less often, %s, and it is told what becomes of the object', async (_title, admission) => {
    agent = await openWholeAgent();
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    agent.admission = admission;
    await agent.create(TEAM, 'one');
    await eventually(() => {
      expect(agent.patches.length).toBeGreaterThan(0);
    });
    await eventually(() => {
      expect(agent.sync()?.problems()).toMatchObject([
        {
          reason: 'WritesUndone',
          actor: 'consumer',
          message: expect.stringMatching(/In the workspace, finalizer "syncagent\.kcp\.io\/cleanup".*No copy is made/u),
        },
      ]);
    });
    await eventually(() => {
      expect(agent.patches.length).toBeGreaterThanOrEqual(5);
    }, PATIENT);
    // Three at once, then after 1 s and 2 s.
    const [first = 0, , , , fifth = 0] = agent.patches;
    expect(fifth - first).toBeGreaterThan(2_000);
    expect(agent.sync()?.problems()).toHaveLength(1);
    expect(await agent.copyOf(TEAM, 'one')).toBeUndefined();
    agent.admission = undefined;
    await eventually(async () => {
      expect(await agent.copyOf(TEAM, 'one')).toBeDefined();
    }, PATIENT);
    await eventually(() => {
      expect(agent.sync()?.problems()).toEqual([]);
    }, PATIENT);
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
    await eventually(() => {
      expect(agent.sync()?.problems()).toMatchObject([{ reason: 'WritesUndone' }]);
    }, PATIENT);
    await agent.change(TEAM, 'one', { spec: { image: 'another' } });
    await eventually(async () => {
      expect(await agent.copyOf(TEAM, 'one')).toMatchObject({ spec: { image: 'another' } });
    }, PATIENT);
  });

  it('of a related object is set ever less often too, and its primary says so', async () => {
    agent = await openWholeAgent({ related: [secretByImage()], claims: ['secrets'] });
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    let patched = 0;
    agent.admission = (patch, name, resource) => {
      if (resource !== 'secrets') return patch;
      patched++;
      return stripping(patch, name, resource);
    };
    const workspace = agent.world.workspace(TEAM);
    await eventually(() =>
      workspace.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'creds', namespace: 'default' },
        data: { a: 'YQ==' },
      } as never),
    );
    await agent.create(TEAM, 'one', { image: 'creds' });
    const {
      metadata: { namespace },
    } = await agent.placed(TEAM, 'one');
    await eventually(() => {
      expect(agent.sync()?.problems()).toMatchObject([
        {
          reason: 'WritesUndone',
          actor: 'consumer',
          message: expect.stringMatching(
            /^Related object "credentials", secrets default\/creds: In the workspace, finalizer "syncagent\.kcp\.io\/cleanup"/u,
          ),
        },
      ]);
    }, PATIENT);
    const before = patched;
    // Its events bring the primary back each time.
    for (let at = 0; at < 20; at++)
      await workspace.patch(
        SECRETS,
        { namespace: 'default', name: 'creds' },
        { type: 'merge', patch: { data: { a: Buffer.from(String(at)).toString('base64') } } },
      );
    await agent.change(TEAM, 'one', { spec: { cronSpec: 'changed' } });
    await eventually(async () => {
      expect(await agent.copyOf(TEAM, 'one')).toMatchObject({ spec: { cronSpec: 'changed' } });
    }, PATIENT);
    // The test's own 20 are among them. If each brought another one, there were 40; a slow machine leaves time for some more tries.
    expect(patched - before).toBeLessThan(20 + 12);
    expect(await getIfExists(agent.world.service, SECRETS, { namespace, name: 'creds' })).toBeUndefined();
    expect(agent.sync()?.problems()).toMatchObject([{ reason: 'WritesUndone' }]);
    agent.admission = undefined;
    await eventually(async () => {
      expect(await getIfExists(agent.world.service, SECRETS, { namespace, name: 'creds' })).toBeDefined();
    }, PATIENT);
    await eventually(() => {
      expect(agent.sync()?.problems()).toEqual([]);
    }, PATIENT);
  });

  it('and annotations that name related objects are written ever less often where they do not stick, and told', async () => {
    agent = await openWholeAgent({ related: [secretByImage('service')], claims: ['secrets'] });
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    let patched = 0;
    agent.admission = (patch, _name, resource) => {
      const { annotations = {}, ...metadata } = patch.metadata ?? {};
      const others = Object.entries(annotations).filter(
        ([key]) => !key.startsWith('related-resources.syncagent.kcp.io/'),
      );
      if (resource !== 'crontabs' || others.length === Object.keys(annotations).length) return patch;
      patched++;
      return {
        ...patch,
        metadata: { ...metadata, annotations: { ...Object.fromEntries(others), touched: String(patched) } },
      };
    };
    await agent.create(TEAM, 'one', { image: 'creds' });
    const {
      metadata: { namespace },
    } = await agent.placed(TEAM, 'one');
    await agent.world.service.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'creds', namespace },
      data: { a: 'YQ==' },
    } as never);
    await eventually(() => {
      expect(agent.sync()?.problems()).toMatchObject([
        {
          reason: 'WritesUndone',
          actor: 'consumer',
          message: expect.stringContaining('annotations that name the related objects'),
        },
      ]);
    }, PATIENT);
    const before = patched;
    for (let at = 0; at < 20; at++) await agent.change(TEAM, 'one', { spec: { cronSpec: String(at) } });
    await eventually(async () => {
      expect(await agent.copyOf(TEAM, 'one')).toMatchObject({ spec: { cronSpec: '19' } });
    }, PATIENT);
    // One for each change would be 20. A slow machine leaves time for some retries.
    expect(patched - before).toBeLessThan(10);
    agent.admission = undefined;
    await eventually(async () => {
      expect(Object.keys((await agent.crontab(TEAM, 'one'))?.metadata.annotations ?? {})).toContain(
        'related-resources.syncagent.kcp.io/credentials.0',
      );
    }, PATIENT);
  });
});
