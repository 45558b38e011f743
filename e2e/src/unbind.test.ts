import { afterAll, beforeAll, expect } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { type FaultProxy, createFaultProxy } from '@hawser/faultproxy';
import { type SampleApi, databases } from '@hawser/installation';
import { finalizers, fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { type Ended, runCommand } from './command.js';
import { conditionsOf } from './conditions.js';
import {
  LONG,
  type ServiceObject,
  binding,
  copyKey,
  createNamespace,
  gone,
  objectOf,
  resourceOf,
  synced,
} from './copies.js';
import { describeSystem } from './suite.js';
import type { Program } from './program.js';
import { type BoundApi, type System, executables, ready } from './system.js';

const api = (plural: string, kind: string): SampleApi => ({ ...databases, plural, kind });
const volumes = api('volumes', 'Volume');
const buckets = api('buckets', 'Bucket');
const queues = api('queues', 'Queue');
const topics = api('topics', 'Topic');
const jobs = api('jobs', 'Job');
const POLICY = 'hawser.dev/unbind-policy';

describeSystem(
  'unbinding by policy',
  () => ({ name: 'unbind', chartValues: { unbinding: { delete: true } } }),
  (system, it) => {
    let proxy: FaultProxy;
    let konnector: Program;
    let bound: Readonly<Record<string, BoundApi>> = {};

    beforeAll(async () => {
      konnector = await system().startKonnector();
      await createNamespace(system(), 'team-a');
      proxy = await createFaultProxy({ upstream: system().provider.connection });
      bound = {
        databases: await system().bind({ name: 'databases', apis: [databases] }),
        volumes: await system().bind({ name: 'volumes', apis: [volumes] }),
        buckets: await system().bind({ name: 'buckets', apis: [buckets], connection: proxy.connection }),
        queues: await system().bind({ name: 'queues', apis: [queues] }),
        topics: await system().bind({ name: 'topics', apis: [topics] }),
        jobs: await system().bind({ name: 'jobs', apis: [jobs] }),
      };
      for (const name of Object.keys(bound)) await ready(system(), name);
    }, 240_000);
    afterAll(async () => {
      await proxy.stop();
    });

    const consumer = (): System['consumer'] => system().consumer;
    const kubectl = (...args: readonly string[]): Promise<string> => consumer().kubectl(args);
    const create = async (of: SampleApi, name: string): Promise<ServiceObject> => {
      const key = { name, namespace: 'team-a' };
      await consumer().apply(objectOf(of, key));
      return (await synced(system(), bound[of.plural]!, of, key)).copy;
    };
    const copyOf = (of: SampleApi, name: string): Promise<KubeObject | undefined> =>
      system().provider.find(resourceOf(of), copyKey(bound[of.plural]!, { name, namespace: 'team-a' }));
    const setPolicy = async (name: string, policy: string): Promise<void> => {
      await kubectl('annotate', 'apiservicebinding', name, '--overwrite', `${POLICY}=${policy}`);
      const expected = policy === 'Orphan' ? undefined : [finalizers.unbind];
      await eventually(async () => {
        expect((await consumer().find(resources.apiServiceBindings, { name }))?.metadata.finalizers).toEqual(expected);
      }, LONG);
    };
    const unbound = async (name: string): Promise<ReturnType<typeof conditionsOf>[string]> =>
      conditionsOf(await binding(system(), name))['Unbound'];
    const hawser = (...args: readonly string[]): Promise<Ended> =>
      runCommand(executables.hawser, [...args, `--kubeconfig=${consumer().kubeconfigFile}`]);
    const bindingGone = (name: string): Promise<void> =>
      gone(() => consumer().find(resources.apiServiceBindings, { name }));

    it('Delete takes objects, their copies and the CRD along, and leaves no finalizer', async () => {
      const copies = await Promise.all(['a', 'b', 'c'].map((name) => create(databases, name)));
      await setPolicy('databases', 'Delete');
      await kubectl('delete', 'apiservicebinding', 'databases', '--timeout=60s');
      for (const { metadata } of copies)
        expect(await system().provider.find(resourceOf(databases), metadata)).toBeUndefined();
      expect(
        await consumer().find(resources.customResourceDefinitions, { name: 'databases.example.com' }),
      ).toBeUndefined();
    });

    it('Block waits for the users, counts what is left, and passes their deletions on', async () => {
      await create(volumes, 'first');
      await create(volumes, 'last');
      await setPolicy('volumes', 'Block');
      await kubectl('delete', 'apiservicebinding', 'volumes', '--wait=false');
      await eventually(async () => {
        expect(await unbound('volumes')).toMatchObject({
          status: 'False',
          reason: 'ObjectsLeft',
          message: expect.stringMatching(/^2 objects are left: 2 volumes\.example\.com\..*team-a\/first/u),
        });
      }, LONG);
      expect(
        (await consumer().find(resourceOf(volumes), { namespace: 'team-a', name: 'first' }))?.metadata
          .deletionTimestamp,
      ).toBeUndefined();
      await kubectl('delete', 'volumes.example.com', 'first', '-n', 'team-a', '--timeout=60s');
      expect(await copyOf(volumes, 'first')).toBeUndefined();
      await eventually(async () => {
        expect((await unbound('volumes'))?.message).toContain('1 object is left');
      }, LONG);
      await kubectl('delete', 'volumes.example.com', 'last', '-n', 'team-a', '--timeout=60s');
      expect(await copyOf(volumes, 'last')).toBeUndefined();
      await bindingGone('volumes');
    });

    it('Delete with a provider that is out of reach says so, and can be broken open, which is recorded', async () => {
      const copy = await create(buckets, 'stranded');
      await setPolicy('buckets', 'Delete');
      await proxy.refuse();
      await kubectl('delete', 'apiservicebinding', 'buckets', '--wait=false');
      await eventually(async () => {
        expect(await unbound('buckets')).toMatchObject({
          status: 'False',
          message: expect.stringMatching(
            /1 object is left: 1 buckets\.example\.com.*team-a\/stranded.*held by kubebind\.io\/syncer/u,
          ),
        });
      }, LONG);
      await kubectl('annotate', 'apiservicebinding', 'buckets', 'hawser.dev/release=the provider is out of business');
      await bindingGone('buckets');
      await gone(() => consumer().find(resourceOf(buckets), { namespace: 'team-a', name: 'stranded' }));
      const records = await consumer().client.list<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
        resources.configMaps,
        { namespace: fixedNames.konnectorNamespace, labelSelector: 'hawser.dev/record=orphans' },
      );
      expect(records.items.map(({ data }) => data)).toMatchObject([
        {
          binding: 'buckets',
          reason: 'the provider is out of business',
          count: '1',
          objects: expect.stringContaining(`buckets.example.com team-a/stranded uid=`),
        },
      ]);
      expect(records.items[0]?.data?.['objects']).toContain(copy.metadata.uid);
      await eventually(async () => {
        expect(
          await kubectl(
            'get',
            'events',
            '-n',
            'default',
            '--field-selector=involvedObject.name=buckets',
            '-o',
            'jsonpath={.items[*].reason}',
          ),
        ).toContain('ObjectsOrphaned');
      }, LONG);
      await proxy.accept();
      expect((await copyOf(buckets, 'stranded'))?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('a mind that is changed halfway counts: what is not deleted yet is kept', async () => {
      const copy = await create(queues, 'kept');
      await setPolicy('queues', 'Block');
      await kubectl('delete', 'apiservicebinding', 'queues', '--wait=false');
      await eventually(async () => {
        expect(await unbound('queues')).toMatchObject({ reason: 'ObjectsLeft' });
      }, LONG);
      await kubectl('annotate', 'apiservicebinding', 'queues', `${POLICY}-`);
      await bindingGone('queues');
      const left = await copyOf(queues, 'kept');
      expect(left?.metadata.uid).toBe(copy.metadata.uid);
      expect(left?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('a binding whose kubeconfig leads to another provider than it was bound to is not synced before that is accepted', async () => {
      const annotation = 'hawser.dev/provider-identity';
      const { uid } = (
        await system().provider.client.get(resources.namespaces, { name: bound['topics']!.clusterNamespace })
      ).metadata;
      await eventually(async () => {
        expect((await binding(system(), 'topics')).metadata.annotations?.[annotation]).toBe(uid);
      }, LONG);
      await kubectl('annotate', 'apiservicebinding', 'topics', '--overwrite', `${annotation}=bound-elsewhere`);
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'topics'))['SecretValid']).toMatchObject({
          status: 'False',
          reason: 'ProviderIdentityChanged',
          message: expect.stringContaining(
            `has uid ${uid ?? ''} there, and APIServiceBinding topics is bound to uid bound-elsewhere`,
          ),
        });
      }, LONG);
      await consumer().apply(objectOf(topics, { namespace: 'team-a', name: 'not-yet' }));
      await create(jobs, 'other');
      expect(await copyOf(topics, 'not-yet')).toBeUndefined();
      await kubectl('annotate', 'apiservicebinding', 'topics', '--overwrite', `${annotation}=${uid ?? ''}`);
      await synced(system(), bound['topics']!, topics, { namespace: 'team-a', name: 'not-yet' });
      for (const [of, name] of [
        [topics, 'not-yet'],
        [jobs, 'other'],
      ] as const)
        await kubectl('delete', `${of.plural}.${of.group}`, name, '-n', 'team-a', '--timeout=60s');
    });

    it('handback takes away what a Go konnector would not understand, once no konnector runs', async () => {
      await create(topics, 'kept');
      await create(jobs, 'deleted');
      await setPolicy('topics', 'Block');
      await kubectl('annotate', 'topics.example.com', 'kept', '-n', 'team-a', 'hawser.dev/note=ours');
      const running = await hawser('handback');
      expect(running).toMatchObject({ code: 1, err: expect.stringMatching(/A konnector runs: \S+ renews the Lease/u) });
      await konnector.stop();
      const dry = await hawser('handback', '--dry-run');
      expect(dry).toMatchObject({
        code: 0,
        out: expect.stringMatching(
          /APIServiceBinding topics: annotations .*hawser\.dev\/unbind-policy.*; finalizer hawser\.dev\/unbind/u,
        ),
      });
      expect((await binding(system(), 'topics')).metadata.finalizers).toEqual([finalizers.unbind]);
      expect(await hawser('handback')).toMatchObject({
        code: 0,
        out: expect.stringContaining('nothing of ours is there'),
      });
      const handed = [
        await binding(system(), 'topics'),
        await consumer().client.get(resourceOf(topics), { namespace: 'team-a', name: 'kept' }),
      ];
      for (const { metadata } of handed)
        expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('hawser.dev/'))).toEqual([]);
      expect(handed.map(({ metadata }) => metadata.finalizers)).toEqual([undefined, [finalizers.syncer]]);
      expect(conditionsOf(handed[0])).toMatchObject({ Ready: { status: 'True' } });
    });

    it('uninstall leaves nothing behind, also when the konnector went first', async () => {
      const copies = { kept: await copyOf(topics, 'kept'), deleted: await copyOf(jobs, 'deleted') };
      await kubectl('annotate', 'apiservicebinding', 'jobs', `${POLICY}=Delete`);
      const dry = await hawser('uninstall', '--dry-run');
      expect(dry).toMatchObject({
        code: 0,
        out: expect.stringContaining(
          'delete APIServiceBinding jobs: 1 object is deleted here and on the provider (policy Delete)',
        ),
      });
      expect(await hawser('uninstall')).toMatchObject({ code: 1, err: expect.stringContaining('give --yes') });
      expect((await consumer().client.list(resources.apiServiceBindings)).items).toHaveLength(2);

      const done = await hawser('uninstall', '--yes', '--timeout=90s');
      expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Nothing is left.') });
      expect(done.out).toContain('buckets.example.com team-a/stranded');
      expect(JSON.parse(await kubectl('get', 'crd', '-o', 'json'))).toMatchObject({ items: [] });
      expect(await kubectl('get', 'secrets,leases', '-n', fixedNames.konnectorNamespace, '-o', 'name')).toBe('');
      expect((await copyOf(topics, 'kept'))?.metadata).toMatchObject({
        uid: copies.kept?.metadata.uid,
        resourceVersion: copies.kept?.metadata.resourceVersion,
      });
      expect(copies.deleted).toBeDefined();
      expect(await copyOf(jobs, 'deleted')).toBeUndefined();
      expect(await hawser('uninstall', '--yes')).toMatchObject({
        code: 0,
        out: expect.stringContaining('Nothing is left.'),
      });
    });
  },
);
