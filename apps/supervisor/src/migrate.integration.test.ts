import { type Client, getIfExists, type KubeObject } from '@hawser/client';
import { readMigrate, readUnbind } from '@hawser/commands';
import { resources as core } from '@hawser/core-kbind';
import { databases, type SampleApi } from '@hawser/installation';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { HOME, LONG, MigratingClusters, resourceOf } from './testing/migrating-clusters.js';

const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };

describeWithControlPlane('hawser migrate', () => {
  let clusters: MigratingClusters;
  let consumer: Client;
  let provider: Client;
  let role: { stop(): Promise<void> };

  beforeAll(async () => {
    clusters = await MigratingClusters.start('migrate', 'team');
    ({ consumer, provider } = clusters);
    await clusters.namespace(provider, `${HOME}-far`);
    await clusters.namespace(consumer, 'far');
    await clusters.assign('far', `${HOME}-far`);
  }, 120_000);
  afterAll(() => clusters.stop(), 60_000);
  beforeEach(() => {
    role = clusters.startKonnector();
  });
  afterEach(async () => {
    await role.stop();
  });

  const object = ({ group, kind, scope }: SampleApi, name: string, inNamespace = 'team'): KubeObject =>
    ({
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name, ...(scope === 'Cluster' ? {} : { namespace: inNamespace }) },
      spec: { size: 'small' },
    }) as KubeObject;
  const keyOf = ({ metadata: { name, namespace: ownNamespace } }: KubeObject) => ({ name, namespace: ownNamespace });

  /** The object is on both sides, and the status of its copy comes back. */
  async function inStep(api: SampleApi, made: KubeObject, phase: string): Promise<void> {
    const key = keyOf(made);
    await eventually(() => provider.get(resourceOf(api), key), LONG);
    await provider.patch(
      resourceOf(api),
      key,
      { type: 'merge', patch: { status: { phase } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect(await consumer.get(resourceOf(api), key)).toMatchObject({ status: { phase } });
    }, LONG);
  }

  it('moves a cluster-scoped API there and back, with one write for each object and each copy', async () => {
    await clusters.bindAPI(zones, 'None');
    const made = ['north', 'south', 'west'].map((name) => object(zones, name));
    for (const one of made) await consumer.create(resourceOf(zones), one);
    for (const one of made) await inStep(zones, one, 'Ready');
    const before = await clusters.identities(resourceOf(zones));
    const key = { name: 'north' };
    expect((await provider.get(resourceOf(zones), key)).metadata.ownerReferences).toHaveLength(1);

    const preview = await clusters.run(readMigrate, 'zones', '--to', 'v2', '--dry-run');
    expect(preview).toMatchObject({
      code: 0,
      out: expect.stringContaining('mark 3 objects and 3 copies of zones.example.com in the words of core.kbind.io'),
    });
    expect(await clusters.run(readMigrate, 'zones', '--to', 'v2')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--yes'),
    });
    expect(await getIfExists(consumer, core.connections, { name: 'zones' })).toBeUndefined();

    let since = await clusters.marks();
    expect(await clusters.run(readMigrate, 'zones', '--to', 'v2', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('zones is served by core.kbind.io'),
    });
    expect(await clusters.identities(resourceOf(zones))).toEqual(before);
    expect((await clusters.writesSince(resourceOf(zones), since)).map(({ verb }) => verb)).toEqual(
      Array.from({ length: 6 }, () => 'patch'),
    );
    const moved = await consumer.get(resourceOf(zones), key);
    expect(moved.metadata.finalizers).toEqual(['core.kbind.io/syncer']);
    const copy = await provider.get(resourceOf(zones), key);
    expect(copy.metadata.annotations).toMatchObject({ 'core.kbind.io/consumer-object-uid': moved.metadata.uid });
    expect(copy.metadata.annotations).not.toHaveProperty('kube-bind.io/cluster-namespace');
    expect(copy.metadata.ownerReferences).toBeUndefined();
    for (const one of made) await inStep(zones, one, 'Moved');
    expect(await clusters.run(readMigrate, 'zones', '--to', 'v2', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing is to be done'),
    });

    // Somebody has ended the pause meanwhile: the konnector of kube-bind.io leaves what is not its own alone.
    const unpaused = { metadata: { annotations: { 'hawser.dev/paused': null } } };
    const bound = { name: 'zones' };
    await consumer.patch(resources.apiServiceBindings, bound, { type: 'merge', patch: unpaused });
    await eventually(async () => {
      expect(await consumer.get(resources.apiServiceBindings, bound)).toMatchObject({
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ reason: 'ForeignCustomResourceDefinition' })]),
        },
      });
    }, LONG);
    for (const one of made) await inStep(zones, one, 'Still moved');
    since = await clusters.marks();
    expect(await clusters.run(readMigrate, 'zones', '--to', 'v1', '--yes')).toMatchObject({ code: 0 });
    for (const one of made) await inStep(zones, one, 'Back');
    expect(await clusters.identities(resourceOf(zones))).toEqual(before);
    const ofKonnector = (await clusters.writesSince(resourceOf(zones), since)).filter(
      ({ subresource }) => subresource !== 'status',
    );
    expect(ofKonnector.map(({ verb }) => verb)).toEqual(Array.from({ length: 6 }, () => 'patch'));
    expect((await consumer.get(resourceOf(zones), key)).metadata.finalizers).toEqual(['kubebind.io/syncer']);

    // What a user deletes goes on both sides, in either generation.
    expect(await clusters.run(readMigrate, 'zones', '--to', 'v2', '--yes')).toMatchObject({ code: 0 });
    await consumer.delete(resourceOf(zones), { name: 'west' });
    await eventually(async () => {
      expect(await getIfExists(provider, resourceOf(zones), { name: 'west' })).toBeUndefined();
      expect(await getIfExists(consumer, resourceOf(zones), { name: 'west' })).toBeUndefined();
    }, LONG);
    // With the binding of kube-bind.io nothing else goes.
    await consumer.delete(resources.apiServiceBindings, { name: 'zones' });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.apiServiceBindings, { name: 'zones' })).toBeUndefined();
    }, LONG);
    await inStep(zones, object(zones, 'north'), 'Alone');
    expect(await clusters.run(readUnbind, 'zones', '--dialect=core-kbind', '--policy=Delete', '--yes')).toMatchObject({
      code: 0,
    });
    expect(await getIfExists(provider, resourceOf(zones), key)).toBeUndefined();
    const crd = { name: 'zones.example.com' };
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.customResourceDefinitions, crd)).toBeUndefined();
    }, LONG);
  }, 300_000);

  it('may be broken off after each step, and goes on or back', async () => {
    const regions: SampleApi = { ...databases, plural: 'regions', kind: 'Region' };
    await clusters.bindAPI(regions, 'Prefixed');
    const made = ['one', 'two'].map((name) => object(regions, name));
    for (const one of made) await consumer.create(resourceOf(regions), one);
    for (const one of made) await inStep(regions, one, 'Ready');
    let before = await clusters.identities(resourceOf(regions));
    /** Resolves to the number of steps that were left. */
    const go = async (to: 'v1' | 'v2', steps = Infinity): Promise<number> => {
      const { left, result } = await clusters.migrateSteps('regions', to, steps);
      expect(result).toEqual({ kind: 'migrated' });
      expect(await clusters.identities(resourceOf(regions))).toEqual(before);
      return left;
    };

    // On: one step of each plan, and a restart of the konnector in between.
    for (let left = 1, guard = 0; left > 0; guard++) {
      expect(guard).toBeLessThan(20);
      // The pause alone is repeated until the CRD has changed hands; so one step more each time.
      left = await go('v2', guard + 1);
      if (guard === 3) {
        await role.stop();
        role = clusters.startKonnector();
      }
    }
    for (const one of made) await inStep(regions, one, 'Moved');
    // Back, the same way; and from the middle on again.
    for (let steps = 1; (await go('v1', steps)) > 0; steps++) expect(steps).toBeLessThan(20);
    for (const one of made) await inStep(regions, one, 'Back');
    for (const steps of [1, 2, 3, 4, 5, 6]) {
      await go('v2', steps);
      await go('v1');
      for (const one of made) await inStep(regions, one, `Back ${steps}`);
    }
    await go('v2');
    for (const steps of [1, 2, 3, 4]) {
      await go('v1', steps);
      await go('v2');
      for (const one of made) await inStep(regions, one, `Moved ${steps}`);
    }
    // An object that a user deletes in the middle goes the way back, and the rest goes on.
    await go('v1');
    await inStep(regions, object(regions, 'one'), 'Back again');
    await consumer.create(resourceOf(regions), object(regions, 'three'));
    await inStep(regions, object(regions, 'three'), 'Ready');
    const three = { namespace: 'team', name: 'three' };
    before = await clusters.identities(resourceOf(regions));
    await go('v2', 2);
    await consumer.delete(resourceOf(regions), three);
    expect(await clusters.run(readMigrate, 'regions', '--to', 'v2', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('ObjectsTerminating'),
    });
    expect(await clusters.run(readMigrate, 'regions', '--to', 'v1', '--yes')).toMatchObject({ code: 0 });
    await eventually(async () => {
      expect(await getIfExists(consumer, resourceOf(regions), three)).toBeUndefined();
      expect(await getIfExists(provider, resourceOf(regions), three)).toBeUndefined();
    }, LONG);
    before = before.filter((one) => !one.startsWith('three'));
    await go('v2');
    const copies = await provider.list<KubeObject>(resourceOf(regions), { namespace: 'team' });
    expect(copies.items.map(({ metadata }) => Object.keys(metadata.annotations ?? {}).sort())).toEqual(
      made.map(() => expect.arrayContaining(['core.kbind.io/consumer-cluster-uid'])),
    );
  }, 400_000);

  it('refuses a binding whose copies lie elsewhere, and writes nothing', async () => {
    const lakes: SampleApi = { ...zones, plural: 'lakes', kind: 'Lake' };
    const rivers: SampleApi = { ...databases, plural: 'rivers', kind: 'River' };
    await clusters.bindAPI(lakes, 'Prefixed');
    await clusters.bindAPI(rivers, 'Prefixed');
    const far = object(rivers, 'far', 'far');
    await consumer.create(resourceOf(rivers), far);
    await eventually(() => provider.get(resourceOf(rivers), { namespace: `${HOME}-far`, name: 'far' }), LONG);
    const refused = await clusters.run(readMigrate, '--to', 'v2', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^lakes: PlaceDiffers: Copies of lakes\.example\.com have other names.*Prefixed/mu);
    expect(refused.err).toMatch(
      /^rivers: PlaceDiffers: Copies of rivers\.example\.com in namespace far are in namespace kube-bind-shop-far/mu,
    );
    const binding = await consumer.get(resources.apiServiceBindings, { name: 'rivers' });
    expect(binding.metadata.annotations ?? {}).not.toHaveProperty('hawser.dev/paused');
    expect(await clusters.run(readMigrate, 'nothing', '--to', 'v2')).toMatchObject({ code: 1 });
  }, 120_000);
});
