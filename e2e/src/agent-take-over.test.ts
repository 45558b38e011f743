import { expect } from '@jest/globals';
import { versionsOf } from '@hawser/agent-world';
import { resources } from '@hawser/syncagent-api';
import { eventually, settled } from '@hawser/testenv';
import { local, secrets } from './agent-databases.js';
import { recordedAgent, recordedGround, recordedWorkspaces } from './agent-recording.js';
import { describeAgentSystem } from './agent-suite.js';
import { LONG, type ServiceObject } from './copies.js';

const zones = { group: 'example.com', version: 'v1', resource: 'zones' };
const managed = { group: recordedAgent.export, version: 'v1', resource: 'manageddatabases' };
const one = { namespace: 'default', name: 'one' };

describeAgentSystem(
  'taking over from the Go agent',
  {
    name: 'agent-take-over',
    needsEmbedded: true,
    agent: recordedAgent,
    ground: recordedGround,
    rights: {
      publishedResources: [{ group: 'example.com', resources: ['databases', 'zones'] }],
      relatedFromService: [{ group: '', resources: ['secrets'] }],
      relatedFromKcp: [{ group: '', resources: ['configmaps'] }],
    },
  },
  (system, it) => {
    /** Of the provider's and the consumers' workspaces. Events are told, and are nobody's state. */
    const versionsInKcp = (): Readonly<Record<string, Readonly<Record<string, string>>>> =>
      Object.fromEntries(
        ['provider', ...recordedWorkspaces].map((name) => {
          const cluster = system().kcp.embedded?.kcp.find(`${system().kcp.root}:${name}`);
          if (cluster === undefined) throw new Error(`there is no workspace ${name}`);
          return [name, versionsOf(cluster.objects, ['events'])];
        }),
      );

    it('writes nothing but what the Go agent could not do, its own records and what it tells', async () => {
      const audit = system().service.controlPlane!.auditLog();
      const since = await audit.mark();
      const inKcp = versionsInKcp();
      const before = await system().service.client.list<ServiceObject>(local);
      expect(before.items).toHaveLength(3);
      await system().startAgent();
      await eventually(async () => {
        for (const [name, objects] of [
          ['databases', 3],
          ['zones', 2],
        ] as const)
          expect((await system().published(name)).status).toMatchObject({
            phase: 'Syncing',
            counts: { objects, workspaces: 2, failing: 0 },
          });
      }, LONG);
      const writes = (
        await settled(() => audit.writes({ since, user: system().user, succeeded: true }), {
          quiet: 10,
          intervalMs: 300,
        })
      )
        .filter(({ resource }) => resource !== 'events')
        .map(
          ({ verb, resource, subresource = '', namespace = '', name = '' }) =>
            `${verb} ${resource}/${subresource} ${namespace}/${name.replace(/[0-9a-f]{20}$/u, '<hash>')}`,
        );
      const clusters = recordedWorkspaces.map(
        (name) => system().kcp.embedded?.kcp.find(`${system().kcp.root}:${name}`)?.name ?? '',
      );
      // It tells each PublishedResource how it goes.
      const statusWrite = /^patch publishedresources\/status \/(?:databases|zones)$/u;
      expect(writes.filter((write) => !statusWrite.test(write)).sort()).toEqual(
        [
          // What is published is remembered once.
          'create secrets/ kube-system/hawser-publications.lab',
          'update secrets/ kube-system/hawser-publications.lab',
          // The Go agent fails for ever on cluster-scoped objects under the default naming.
          ...clusters.flatMap((cluster) => [
            `create secrets/ kube-system/obj-state-${cluster}-<hash>`,
            `create zones/ /${cluster}-<hash>`,
          ]),
        ].sort(),
      );
      expect(versionsInKcp()).toEqual(inKcp);
      const versions = (items: readonly ServiceObject[]): readonly (string | undefined)[] =>
        items.map(({ metadata }) => metadata.resourceVersion);
      expect(versions((await system().service.client.list<ServiceObject>(local)).items)).toEqual(
        versions(before.items),
      );
    });

    it('goes on from there, in both directions', async () => {
      const path = `${system().kcp.root}:a`;
      const client = system().inWorkspace(path);
      const cluster = system().kcp.embedded?.kcp.find(path)?.name ?? '';
      const copy = { namespace: `ws-${cluster}`, name: '2747cabbb481a433679f-6f70f27e13fc073a2541' };
      const {
        metadata: { uid },
      } = await system().service.client.get<ServiceObject>(local, copy);
      await client.patch(managed, one, {
        type: 'merge',
        patch: { spec: { size: 'large' }, metadata: { labels: { tier: null } } },
      });
      await eventually(async () => {
        const now = await system().service.client.get<ServiceObject>(local, copy);
        expect(now).toMatchObject({
          metadata: { uid, labels: { 'touched-by-operator': 'yes' } },
          spec: { size: 'large', secretName: 'one-credentials' },
        });
        expect(now.metadata.labels).not.toHaveProperty('tier');
      }, LONG);
      await system().service.client.patch(
        local,
        copy,
        { type: 'merge', patch: { status: { phase: 'Resized' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect((await client.get<ServiceObject>(managed, one)).status).toEqual({ phase: 'Resized' });
      }, LONG);
      await system().service.client.patch(
        secrets,
        { namespace: copy.namespace, name: 'one-credentials' },
        { type: 'merge', patch: { data: { password: 'bmV3' } } },
      );
      await eventually(async () => {
        expect(await client.get(secrets, { namespace: 'default', name: 'one-credentials' })).toMatchObject({
          data: { password: 'bmV3' },
        });
      }, LONG);
      await client.delete(managed, one);
      await eventually(async () => {
        expect(await system().service.find(local, copy)).toBeUndefined();
      }, LONG);
      // Of the two that have that name.
      expect((await system().service.client.list(local)).items).toHaveLength(2);
      expect((await system().service.client.list(zones)).items).toHaveLength(2);
      expect((await system().service.client.list(resources.publishedResources)).items).toHaveLength(2);
    });
  },
);
