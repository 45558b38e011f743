import { beforeAll, expect } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { annotations, cleanupFinalizer, labels } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, namespaces, order, remote, secrets } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, agentNamespace, agentUser, replaceFile } from './agent-system.js';
import { LONG } from './copies.js';
import type { Program } from './program.js';

describeAgentSystem(
  'an agent between a service cluster and kcp',
  {
    name: 'agent',
    rights: {
      publishedResources: databaseRights,
      relatedFromService: [{ group: '', resources: ['secrets'] }],
      namespaces: { remove: true },
    },
  },
  (system, it) => {
    let agent: Program;
    let a: ConsumerWorkspace;
    let b: ConsumerWorkspace;

    const { install, copyOf, placed, read, served } = databasesOf(system);

    beforeAll(async () => {
      await install();
      // What an operator adds who wants namespaces to be removed.
      await system().service.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'look-into-namespaces', labels: { 'rbac.hawser.dev/aggregate-to-syncagent': 'true' } },
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }],
      });
      agent = await system().startAgent();
    });

    it('publishes a schema and what it has to claim', async () => {
      await system().publish({
        metadata: { name: 'databases' },
        spec: {
          resource: { apiGroup: 'example.com', kind: 'Database' },
          projection: { group: 'kcp.example.com' },
          naming: { namespace: 'ws-{{ .ClusterName }}' },
          related: [
            {
              identifier: 'credentials',
              origin: 'service',
              kind: 'Secret',
              cleanup: true,
              object: { template: { template: '{{ .Object.metadata.name }}-credentials' } },
            },
          ],
        },
      });
      await eventually(async () => {
        const { spec } = await system().provider.get<APIExport>(kcpResources.apiExports, { name: 'example.com' });
        expect(spec?.resources).toEqual([
          expect.objectContaining({
            group: 'kcp.example.com',
            name: 'databases',
            schema: expect.stringMatching(/^v[0-9a-f]{8}\.databases\.kcp\.example\.com$/u),
          }),
        ]);
        expect(spec?.permissionClaims?.map(({ resource }) => resource).sort()).toEqual([
          'events',
          'namespaces',
          'secrets',
        ]);
        const { status } = await system().published('databases');
        expect(status?.resourceSchemaName).toBe(spec?.resources?.[0]?.schema);
      }, LONG);
      [a, b] = await Promise.all([system().consumer('a'), system().consumer('b')]);
      await served(a, b);
    });

    it('carries objects of all workspaces down, apart from each other', async () => {
      for (const workspace of [a, b]) await workspace.client.create(remote, order('orders', { size: 'small' }));
      const copies = await Promise.all([a, b].map((workspace) => placed(workspace, 'orders')));
      for (const [at, workspace] of [a, b].entries()) {
        expect(copies[at]).toMatchObject({
          apiVersion: 'example.com/v1',
          spec: { size: 'small' },
          metadata: {
            namespace: `ws-${workspace.cluster}`,
            labels: { [labels.agentName]: 'agent' },
            annotations: { [annotations.remoteNamespace]: 'default', [annotations.remoteName]: 'orders' },
          },
        });
        expect((await read(workspace, 'orders')).metadata.finalizers).toContain(cleanupFinalizer);
      }
    });

    it('carries changes down and the status up', async () => {
      await a.client.patch(remote, key('orders'), {
        type: 'merge',
        patch: { spec: { size: 'large' }, metadata: { labels: { team: 'blue' } } },
      });
      await eventually(async () => {
        expect(await copyOf(a, 'orders')).toMatchObject({
          spec: { size: 'large' },
          metadata: { labels: { team: 'blue' } },
        });
      }, LONG);
      const { metadata } = await placed(a, 'orders');
      await system().service.client.patch(
        local,
        metadata,
        { type: 'merge', patch: { status: { phase: 'Ready', endpoint: 'a.example.com' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect((await read(a, 'orders')).status).toEqual({ phase: 'Ready', endpoint: 'a.example.com' });
      }, LONG);
      expect((await read(b, 'orders')).status).toBeUndefined();
    });

    it('brings the Secret that belongs to an object', async () => {
      const { metadata } = await placed(a, 'orders');
      await system().service.client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${metadata.name}-credentials`, namespace: metadata.namespace },
        data: { password: Buffer.from('hunter2').toString('base64') },
      } as UnstructuredObject);
      await eventually(async () => {
        expect(await a.client.get(secrets, key('orders-credentials'))).toMatchObject({
          data: { password: Buffer.from('hunter2').toString('base64') },
        });
      }, LONG);
      expect(agent.log()).not.toContain('hunter2');
    });

    it('tells on the PublishedResource how it goes', async () => {
      await eventually(async () => {
        const { status } = await system().published('databases');
        expect(status).toMatchObject({ phase: 'Syncing', counts: { objects: 2, workspaces: 2, failing: 0 } });
      }, LONG);
    });

    it('writes nothing for what is in step, a restart after SIGKILL included', async () => {
      const audit = system().service.controlPlane!.auditLog();
      const before = await Promise.all([a, b].map((workspace) => read(workspace, 'orders')));
      const since = await audit.mark();
      await agent.stop('SIGKILL');
      agent = await system().startAgent();
      // A change that goes through shows that everything before it was looked at.
      await b.client.create(remote, order('later', { size: 'medium' }));
      await placed(b, 'later');
      const writes = await audit.writes({ since, user: agentUser });
      const verbsOf = (of: string): readonly string[] =>
        writes.filter(({ resource }) => resource === of).map(({ verb }) => verb);
      expect({ databases: verbsOf('databases'), namespaces: verbsOf('namespaces') }).toEqual({
        databases: ['create'],
        namespaces: [],
      });
      // The state of the new one, and no other.
      expect(verbsOf('secrets').filter((verb) => verb !== 'create')).toEqual([]);
      for (const [at, workspace] of [a, b].entries())
        expect((await read(workspace, 'orders')).metadata.resourceVersion).toBe(before[at]?.metadata.resourceVersion);
    });

    it('follows a new kcp kubeconfig without a restart', async () => {
      replaceFile(
        system().kcpKubeconfig,
        `${system().kcp.kubeconfig(system().providerPath, { name: 'agent', groups: ['system:authenticated', 'renewed'] })}\n`,
      );
      // It is read again when something is to be asked of kcp.
      let more = 0;
      await eventually(
        async () => {
          await a.client.create(remote, order(`more-${more++}`, { size: 'small' }));
          return agent.log().includes('the kcp kubeconfig was replaced, and is used from now on');
        },
        { ...LONG, intervalMs: 500 },
      );
      await a.client.create(remote, order('renewed', { size: 'small' }));
      await placed(a, 'renewed');
    });

    it('deletes the copy, and what belongs to it, with the object, and takes away everything that it made for it', async () => {
      const { metadata } = await placed(a, 'orders');
      await a.client.delete(remote, key('orders'));
      await eventually(async () => {
        await expect(read(a, 'orders')).rejects.toMatchObject({ code: 'NotFound' });
        expect(await copyOf(a, 'orders')).toBeUndefined();
        await expect(a.client.get(secrets, key('orders-credentials'))).rejects.toMatchObject({ code: 'NotFound' });
      }, LONG);
      // The truth of the Secret is on the service cluster.
      expect(
        await system().service.find(secrets, { namespace: metadata.namespace, name: `${metadata.name}-credentials` }),
      ).toBeDefined();
      expect(await copyOf(b, 'orders')).toBeDefined();
      for (const name of ['orders', 'later']) await b.client.delete(remote, key(name));
      await eventually(async () => {
        const states = await system().service.client.list(secrets, {
          namespace: agentNamespace,
          labelSelector: `${labels.remoteCluster}=${b.cluster}`,
        });
        expect(states.items).toEqual([]);
        expect(await system().service.find(namespaces, { name: `ws-${b.cluster}` })).toBeUndefined();
      }, LONG);
    });
  },
);
