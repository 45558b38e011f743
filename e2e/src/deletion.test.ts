import { beforeAll, expect } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, databases } from '@hawser/installation';
import { annotations, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import {
  LONG,
  type ServiceObject,
  binding,
  copyKey,
  createNamespace,
  gone,
  hasSyncerFinalizer,
  objectOf,
  resourceOf,
  synced,
} from './copies.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, type System, ready } from './system.js';

const volumes: SampleApi = { ...databases, plural: 'volumes', kind: 'Volume' };
const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };

/** The garbage collector looks for new kinds every 30 s. */
const COLLECTED = { timeoutMs: 120_000, intervalMs: 200 };

describeSystem(
  'nothing is deleted without proof',
  () => ({ name: 'deletion' }),
  (system, it) => {
    let konnector: Program;
    let bound: Readonly<Record<string, BoundApi>> = {};

    beforeAll(async () => {
      konnector = await system().startKonnector();
      for (const namespace of ['team-a', 'team-b']) await createNamespace(system(), namespace);
      bound = {
        zones: await system().bind({
          name: 'zones',
          apis: [zones],
          mode: { isolation: 'None', informerScope: 'Cluster' },
        }),
        databases: await system().bind({ name: 'databases', apis: [databases] }),
        volumes: await system().bind({ name: 'volumes', apis: [volumes] }),
      };
      for (const name of Object.keys(bound)) await ready(system(), name);
    }, 240_000);

    const create = async (
      api: SampleApi,
      name: string,
      namespace?: string,
    ): Promise<{ readonly object: ServiceObject; readonly copy: ServiceObject }> => {
      const key = { name, ...(namespace === undefined ? {} : { namespace }) };
      await system().consumer.apply(objectOf(api, key));
      return synced(system(), bound[api.plural]!, api, key);
    };
    const copyOf = (api: SampleApi, name: string, namespace?: string): Promise<KubeObject | undefined> =>
      system().provider.find(
        resourceOf(api),
        copyKey(bound[api.plural]!, { name, ...(namespace === undefined ? {} : { namespace }) }),
      );

    it('an object goes only after its copy has gone', async () => {
      const { copy } = await create(databases, 'slow', 'team-a');
      const resource = resourceOf(databases);
      const at = { namespace: copy.metadata.namespace, name: 'slow' };
      await system().provider.client.patch(resource, at, {
        type: 'merge',
        patch: { metadata: { finalizers: ['example.com/backup'] } },
      });
      await system().consumer.kubectl(['delete', 'databases.example.com', 'slow', '-n', 'team-a', '--wait=false']);
      await eventually(async () => {
        expect((await system().provider.client.get(resource, at)).metadata.deletionTimestamp).toBeDefined();
      }, LONG);
      const waiting = await system().consumer.client.get(resource, { namespace: 'team-a', name: 'slow' });
      expect(hasSyncerFinalizer(waiting)).toBe(true);
      await system().provider.client.patch(resource, at, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await gone(() => system().consumer.find(resource, { namespace: 'team-a', name: 'slow' }));
      expect(await copyOf(databases, 'slow', 'team-a')).toBeUndefined();
    });

    it('deleting a consumer namespace deletes its objects on both sides, through the finalizer', async () => {
      await create(databases, 'in-b-1', 'team-b');
      await create(databases, 'in-b-2', 'team-b');
      await system().consumer.kubectl(['delete', 'namespace', 'team-b', '--timeout=90s']);
      for (const name of ['in-b-1', 'in-b-2']) expect(await copyOf(databases, name, 'team-b')).toBeUndefined();
    });

    it('a copy whose consumer object vanished is kept and reported, and used again by an object of that name', async () => {
      const { copy } = await create(databases, 'orphan', 'team-a');
      const resource = resourceOf(databases);
      const key = { namespace: 'team-a', name: 'orphan' };
      // While nobody watches, somebody tears the object out by force.
      await konnector.stop();
      await system().consumer.client.patch(resource, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await system().consumer.kubectl(['delete', 'databases.example.com', 'orphan', '-n', 'team-a']);
      konnector = await system().startKonnector();
      await eventually(async () => {
        const condition = conditionsOf(await binding(system(), 'databases'))['ObjectsInSync'];
        expect(condition?.status).toBe('False');
        expect(condition?.message).toContain('team-a/orphan');
      }, LONG);
      expect((await copyOf(databases, 'orphan', 'team-a'))?.metadata).toMatchObject({
        uid: copy.metadata.uid,
        resourceVersion: copy.metadata.resourceVersion,
      });

      const again = await create(databases, 'orphan', 'team-a');
      expect(again.copy.metadata.uid).toBe(copy.metadata.uid);
      expect(again.copy.metadata.annotations?.[annotations.consumerUID]).toBe(again.object.metadata.uid);
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))['ObjectsInSync']?.status).toBe('True');
      }, LONG);
    });

    it('a copy that was there before, of somebody else, is left alone and reported', async () => {
      const { copy } = await create(databases, 'neighbour', 'team-a');
      const foreign = objectOf(databases, { namespace: copy.metadata.namespace, name: 'taken' }, { size: 'large' });
      await system().provider.apply({
        ...foreign,
        metadata: { ...foreign.metadata, annotations: { [annotations.clusterNamespace]: 'kube-bind-other' } },
      });
      const before = await copyOf(databases, 'taken', 'team-a');
      await system().consumer.apply(objectOf(databases, { namespace: 'team-a', name: 'taken' }, { size: 'small' }));
      await eventually(async () => {
        const condition = conditionsOf(await binding(system(), 'databases'))['ObjectsInSync'];
        expect(condition).toMatchObject({ status: 'False', reason: 'ForeignCopy' });
        expect(condition?.message).toContain('team-a/taken');
      }, LONG);
      await eventually(async () => {
        expect(
          await system().consumer.kubectl([
            'get',
            'events',
            '-n',
            'team-a',
            '--field-selector=involvedObject.name=taken',
            '-o',
            'jsonpath={.items[*].reason}',
          ]),
        ).toContain('ForeignCopy');
      }, LONG);
      await system().consumer.kubectl(['delete', 'databases.example.com', 'taken', '-n', 'team-a', '--timeout=60s']);
      expect(await copyOf(databases, 'taken', 'team-a')).toEqual(before);
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))['ObjectsInSync']?.status).toBe('True');
      }, LONG);
    });

    it('deleting the CRD by hand deletes nothing on the provider; objects are held and say so', async () => {
      const kept = await create(volumes, 'kept', 'team-a');
      await system().consumer.kubectl(['delete', 'crd', 'volumes.example.com', '--wait=false']);
      await eventually(async () => {
        const object = await system().consumer.client.get(resourceOf(volumes), { namespace: 'team-a', name: 'kept' });
        expect(object.metadata.deletionTimestamp).toBeDefined();
        expect(hasSyncerFinalizer(object)).toBe(true);
        expect(conditionsOf(await binding(system(), 'volumes'))['ObjectsInSync']).toMatchObject({
          status: 'False',
          reason: 'CustomResourceDefinitionTerminating',
        });
      }, LONG);
      expect((await copyOf(volumes, 'kept', 'team-a'))?.metadata.uid).toBe(kept.copy.metadata.uid);

      // The remedy that the message names.
      await system().consumer.kubectl(['delete', 'apiservicebinding', 'volumes', '--timeout=60s']);
      await gone(() => system().consumer.find(resources.customResourceDefinitions, { name: 'volumes.example.com' }));
      const left = await copyOf(volumes, 'kept', 'team-a');
      expect(left?.metadata.uid).toBe(kept.copy.metadata.uid);
      expect(left?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('unbinding finishes: the CRD and its objects go, the provider keeps every copy', async () => {
      const namespacedCopies = await Promise.all(
        ['u-1', 'u-2', 'u-3'].map((name) => create(databases, name, 'team-a')),
      );
      const clusterCopy = await create(zones, 'u-zone');
      await system().consumer.kubectl(['delete', 'apiservicebinding', 'databases', 'zones', '--timeout=60s']);
      for (const name of ['databases.example.com', 'zones.example.com']) {
        await eventually(async () => {
          expect(await system().consumer.find(resources.customResourceDefinitions, { name })).toBeUndefined();
        }, COLLECTED);
      }
      for (const { copy } of namespacedCopies) await expectKept(system(), databases, copy);
      await expectKept(system(), zones, clusterCopy.copy);
    }, 240_000);

    it('binding again takes the kept copies up', async () => {
      const before = await system().provider.client.list(resourceOf(databases), {
        namespace: `${bound['databases']!.clusterNamespace}-team-a`,
      });
      bound = { ...bound, databases: await system().bind({ name: 'databases', apis: [databases] }) };
      await ready(system(), 'databases');
      await eventually(() => system().consumer.client.list(resourceOf(databases)), LONG);
      const { copy } = await create(databases, 'u-1', 'team-a');
      expect(before.items.map(({ metadata }) => metadata.uid)).toContain(copy.metadata.uid);
      await eventually(async () => {
        const condition = conditionsOf(await binding(system(), 'databases'))['ObjectsInSync'];
        expect(condition).toMatchObject({ status: 'False' });
        expect(condition?.message).toContain('u-2');
      }, LONG);
      const after = await system().provider.client.list(resourceOf(databases), {
        namespace: `${bound['databases']!.clusterNamespace}-team-a`,
      });
      expect(after.items.map(({ metadata }) => metadata.uid).sort()).toEqual(
        before.items.map(({ metadata }) => metadata.uid).sort(),
      );
    });
  },
);

async function expectKept(system: System, api: SampleApi, copy: ServiceObject): Promise<void> {
  const left = await system.provider.find(resourceOf(api), copy.metadata);
  expect(left?.metadata.uid).toBe(copy.metadata.uid);
  expect(left?.metadata.deletionTimestamp).toBeUndefined();
}
