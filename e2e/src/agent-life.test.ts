import { beforeAll, expect } from '@jest/globals';
import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { cleanupFinalizer, labels, resources } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, namespaces, order, remote } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, EXPORT } from './agent-system.js';
import { LONG, type ServiceObject } from './copies.js';
import type { Program } from './program.js';

const SECOND = 'second.example.com';
const second = { ...remote, group: SECOND };

describeAgentSystem(
  'several agents in one process',
  { name: 'agent-life', rights: { publishedResources: databaseRights }, moreExports: [SECOND] },
  (system, it) => {
    const { install, publish, served, create, copyOf, placed, read, gone, conditionIs } = databasesOf(system);
    let agents: Program;
    let a: ConsumerWorkspace;
    let b: ConsumerWorkspace;
    const start = (): Promise<Program> =>
      system().startAgents([
        { endpointSlice: EXPORT, agentName: 'first', publishedResourceSelector: 'agent=first' },
        { endpointSlice: SECOND, agentName: 'second', publishedResourceSelector: 'agent=second' },
      ]);
    const first = { labels: { agent: 'first' } };
    const finalizers = async (workspace: ConsumerWorkspace, name: string): Promise<readonly string[]> =>
      (await read(workspace, name)).metadata.finalizers ?? [];

    beforeAll(async () => {
      await install();
      agents = await start();
      await publish({}, first);
      a = await system().consumer('a');
      b = await system().consumer('b');
      await served(a, b);
    });

    it('serve an export each, and have nothing to do with each other', async () => {
      await system().publish({
        metadata: { name: 'second', labels: { agent: 'second' } },
        spec: {
          resource: { apiGroup: 'example.com', kind: 'Database' },
          projection: { group: SECOND },
          naming: { namespace: 'ws-{{ .ClusterName }}', name: '{{ .Object.metadata.name }}' },
        },
      });
      await eventually(async () => {
        const exported = async (name: string) =>
          (await system().provider.get<APIExport>(kcpResources.apiExports, { name })).spec?.resources?.map(
            ({ group }) => group,
          );
        expect([await exported(EXPORT), await exported(SECOND)]).toEqual([['kcp.example.com'], [SECOND]]);
      }, LONG);
      await system().bind(a, SECOND);
      await eventually(() => a.client.list(second, { limit: 1 }), LONG);
      await create(a, 'of-first');
      await a.client.create(second, { ...order('of-second', { size: 'large' }), apiVersion: `${SECOND}/v1` });
      expect((await placed(a, 'of-first')).metadata.labels?.[labels.agentName]).toBe('first');
      expect((await placed(a, 'of-second')).metadata.labels?.[labels.agentName]).toBe('second');
      await eventually(async () => {
        const counts = await Promise.all(
          ['databases', 'second'].map(async (name) => (await system().published(name)).status?.counts?.objects),
        );
        expect(counts).toEqual([1, 1]);
      }, LONG);
    });

    it('do not fight over one object: the second leaves it alone, and says whose it is', async () => {
      await create(a, 'contested', { size: 'small' });
      const { metadata } = await placed(a, 'contested');
      await a.client.create(second, { ...order('contested', { size: 'large' }), apiVersion: `${SECOND}/v1` });
      expect(await conditionIs('second', 'ObjectsInSync', 'OtherAgent')).toContain('"first"');
      expect(await copyOf(a, 'contested')).toMatchObject({ metadata: { uid: metadata.uid }, spec: { size: 'small' } });
      await a.client.delete(second, key('contested'));
      await eventually(async () => {
        await expect(a.client.get(second, key('contested'))).rejects.toMatchObject({ code: 'NotFound' });
      }, LONG);
      expect(await copyOf(a, 'contested')).toMatchObject({ metadata: { uid: metadata.uid } });
      await conditionIs('second', 'ObjectsInSync', 'InStep');
    });

    it('carry along what an object refers to in another export, which the other agent publishes, and leave it to that one again', async () => {
      const { status } = await system().provider.get<APIExport>(kcpResources.apiExports, { name: SECOND });
      const edit = (spec: object): Promise<unknown> =>
        system().service.client.patch(
          resources.publishedResources,
          { name: 'databases' },
          { type: 'merge', patch: { spec } },
        );
      await edit({
        related: [
          {
            identifier: 'standby',
            origin: 'kcp',
            group: SECOND,
            version: 'v1',
            resource: 'databases',
            identityHash: status?.identityHash,
            projection: { group: 'example.com' },
            object: {
              template: {
                template: '{{ .Object.metadata.name }}-{{ if eq .Side "kcp" }}standby{{ else }}copy{{ end }}',
              },
            },
          },
        ],
      });
      await eventually(async () => {
        const { spec } = await system().provider.get<APIExport>(kcpResources.apiExports, { name: EXPORT });
        expect(spec?.permissionClaims).toContainEqual(
          expect.objectContaining({ group: SECOND, resource: 'databases', identityHash: status?.identityHash }),
        );
      }, LONG);
      const d = await system().consumer('d');
      await system().bind(d, SECOND);
      await served(d);
      await eventually(() => d.client.list(second, { limit: 1 }), LONG);
      await d.client.create(second, { ...order('orders-standby', { size: 'large' }), apiVersion: `${SECOND}/v1` });
      await create(d, 'orders');
      const copy = { namespace: `ws-${d.cluster}`, name: 'orders-copy' };
      await eventually(async () => {
        expect(await system().service.find<ServiceObject>(local, copy)).toMatchObject({ spec: { size: 'large' } });
      }, LONG);
      const own = await placed(d, 'orders-standby');
      await d.client.patch(second, key('orders-standby'), { type: 'merge', patch: { spec: { size: 'small' } } });
      await eventually(async () => {
        expect(await system().service.find<ServiceObject>(local, copy)).toMatchObject({ spec: { size: 'small' } });
      }, LONG);
      await d.client.delete(remote, key('orders'));
      await gone(d, 'orders');
      expect(await system().service.find<ServiceObject>(local, copy)).toBeUndefined();
      // The agent that published it has still its copy, and so its finalizer comes back.
      await eventually(async () => {
        expect((await d.client.get(second, key('orders-standby'))).metadata.finalizers).toEqual([cleanupFinalizer]);
      }, LONG);
      expect((await placed(d, 'orders-standby')).metadata.uid).toBe(own.metadata.uid);
      await d.client.delete(second, key('orders-standby'));
      await eventually(async () => {
        expect(await copyOf(d, 'orders-standby')).toBeUndefined();
      }, LONG);
      await edit({ related: null });
    });

    it('leave what stands in the place of a copy alone until they are told to take it over', async () => {
      const there = { namespace: `ws-${b.cluster}`, name: 'adopted' };
      await create(b, 'makes-the-namespace');
      await placed(b, 'makes-the-namespace');
      await system().service.client.create(local, {
        apiVersion: 'example.com/v1',
        kind: 'Database',
        metadata: there,
        spec: { size: 'large' },
      } as UnstructuredObject);
      await create(b, 'adopted', { size: 'small' });
      expect(await conditionIs('databases', 'ObjectsInSync', 'Occupied')).toContain('hawser.dev/adoption');
      expect(await system().service.client.get(local, there)).toMatchObject({ spec: { size: 'large' } });
      await system().service.client.patch(
        resources.publishedResources,
        { name: 'databases' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/adoption': 'overwrite' } } } },
      );
      await eventually(async () => {
        expect(await copyOf(b, 'adopted')).toMatchObject({ metadata: there, spec: { size: 'small' } });
      }, LONG);
      await conditionIs('databases', 'ObjectsInSync', 'InStep');
    });

    it('let a workspace go that was deleted while they were down, and delete its copies', async () => {
      const c = await system().consumer('c');
      await served(c);
      await create(c, 'orders');
      await placed(c, 'orders');
      await agents.stop('SIGKILL');
      const parent = c.path.slice(0, c.path.lastIndexOf(':'));
      await system().inWorkspace(parent).delete(kcpResources.workspaces, { name: 'c' });
      agents = await start();
      await eventually(async () => {
        expect(await copyOf(c, 'orders')).toBeUndefined();
      }, LONG);
      await eventually(async () => {
        await expect(system().inWorkspace(parent).get(kcpResources.workspaces, { name: 'c' })).rejects.toMatchObject({
          code: 'NotFound',
        });
      }, LONG);
      expect(await copyOf(a, 'of-first')).toBeDefined();
    });

    it('let all objects go when a PublishedResource is deleted, also while they were down, and keep the copies', async () => {
      expect(await finalizers(a, 'of-first')).toEqual([cleanupFinalizer]);
      await agents.stop('SIGKILL');
      await system().service.client.delete(resources.publishedResources, { name: 'databases' });
      agents = await start();
      for (const [workspace, name] of [
        [a, 'of-first'],
        [a, 'contested'],
        [b, 'adopted'],
      ] as const) {
        await eventually(async () => {
          expect(await finalizers(workspace, name)).toEqual([]);
        }, LONG);
        expect(await copyOf(workspace, name)).toBeDefined();
      }
      await a.client.delete(remote, key('contested'));
      await gone(a, 'contested');
      expect(await copyOf(a, 'contested')).toBeDefined();
      expect(await copyOf(a, 'of-second')).toBeDefined();
    });

    it('take up what they published before, and delete the copies where draining is wanted', async () => {
      await publish({}, { ...first, annotations: { 'hawser.dev/on-delete': 'Drain' } });
      await eventually(async () => {
        expect(await finalizers(a, 'of-first')).toEqual([cleanupFinalizer]);
      }, LONG);
      const { metadata } = await placed(a, 'of-first');
      await system().service.client.delete(resources.publishedResources, { name: 'databases' });
      await eventually(async () => {
        expect(await finalizers(a, 'of-first')).toEqual([]);
      }, LONG);
      await eventually(async () => {
        expect(await system().service.find<ServiceObject>(local, metadata)).toBeUndefined();
      }, LONG);
      // Its object was gone before: nothing proves that anybody wanted the copy gone.
      expect(await copyOf(a, 'contested')).toBeDefined();
      expect(await copyOf(a, 'of-second')).toBeDefined();
      expect(await system().service.find<KubeObject>(namespaces, { name: metadata.namespace ?? '' })).toBeDefined();
    });

    it('let the objects of a former kind go, and hand their copies to the new one', async () => {
      await publish({}, first);
      await eventually(async () => {
        expect(await finalizers(a, 'of-first')).toEqual([cleanupFinalizer]);
      }, LONG);
      const { metadata } = await placed(a, 'of-first');
      await system().service.client.patch(
        resources.publishedResources,
        { name: 'databases' },
        { type: 'merge', patch: { spec: { projection: { kind: 'Store' } } } },
      );
      await eventually(async () => {
        expect(await finalizers(a, 'of-first')).toEqual([]);
      }, LONG);
      expect(await copyOf(a, 'of-first')).toMatchObject({ metadata: { uid: metadata.uid } });
      const stores = { ...remote, resource: 'stores' };
      await eventually(() => a.client.list(stores, { limit: 1 }), LONG);
      await a.client.create(stores, { ...order('of-first', { size: 'large' }), kind: 'Store' });
      await eventually(async () => {
        expect(await copyOf(a, 'of-first')).toMatchObject({ metadata: { uid: metadata.uid }, spec: { size: 'large' } });
      }, LONG);
    });
  },
);
