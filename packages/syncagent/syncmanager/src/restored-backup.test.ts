import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiServer, type Listener, createApiServer, listen } from '@hawser/apiserver';
import type { KubeObject } from '@hawser/client';
import { resources } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { type WholeAgent, openWholeAgent } from './testing/whole-agent.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';
const PATIENT = { timeoutMs: 30_000 };
/** A restored server has revisions far above those of the backup. */
const REVISIONS = 1_000;
const TEAM = 'root:team-1';

describe('after the service cluster was restored from a backup', () => {
  let server: ApiServer;
  let listener: Listener;
  let agent: WholeAgent;

  beforeEach(async () => {
    server = createApiServer();
    listener = await listen(server);
    const credentials = { kind: 'token', token: server.adminToken } as const;
    agent = await openWholeAgent({ service: { server: listener.url, caData: listener.authority, credentials } });
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAM);
    await agent.create(TEAM, 'one');
    await agent.placed(TEAM, 'one');
  });
  afterEach(async () => {
    await agent.world.close();
    await listener.close();
    server.stop();
  });

  const finalizers = async (): Promise<readonly string[] | undefined> =>
    (await agent.crontab(TEAM, 'one'))?.metadata.finalizers;
  const patch = (metadata: object): Promise<KubeObject> =>
    agent.world.service.patch(resources.publishedResources, { name: 'a' }, { type: 'merge', patch: { metadata } });

  it('a publication goes on whose deletion only the cache shows', async () => {
    await patch({ finalizers: ['example.com/held'] });
    const restored = JSON.stringify(await agent.world.published('a'));
    let reads = 0;
    server.setFaults(({ method, path }) => {
      if (method !== 'GET' || !path.endsWith('/publishedresources/a')) return undefined;
      reads++;
      return { instead: { status: 200, headers: { 'content-type': 'application/json' }, body: restored } };
    });
    await agent.unpublish();
    await eventually(() => {
      expect(reads > 0 || agent.manager.syncOf('a') === undefined).toBe(true);
    }, PATIENT);
    expect(agent.manager.syncOf('a')).toBeDefined();
    expect(await finalizers()).toEqual([FINALIZER]);
    server.setFaults(undefined);
    await patch({ annotations: { looked: 'again' } });
    await eventually(async () => {
      expect(await finalizers()).toBeUndefined();
    }, PATIENT);
  });

  it('a publication whose deletion is undone goes on before it has ended', async () => {
    const backup = server.store.snapshot();
    agent.world.kcp.kcp.setFaults(({ method }, { resource }) =>
      method === 'PATCH' && resource === 'crontabs'
        ? { instead: { status: 500, headers: {}, body: 'not now' } }
        : undefined,
    );
    await agent.unpublish();
    await eventually(() => {
      expect(agent.manager.syncOf('a')).toBeUndefined();
    }, PATIENT);
    server.store.restore({ ...backup, revision: server.store.revision + REVISIONS });
    await eventually(() => {
      expect(agent.manager.syncOf('a')).toBeDefined();
    }, PATIENT);
    agent.world.kcp.kcp.setFaults(undefined);
    await agent.change(TEAM, 'one', { spec: { cronSpec: '* *' } });
    await eventually(async () => {
      expect((await agent.copyOf(TEAM, 'one'))?.['spec']).toEqual({ cronSpec: '* *' });
    }, PATIENT);
    expect(await finalizers()).toEqual([FINALIZER]);
    expect(await agent.records()).toHaveLength(1);
  });
});
