import { type Client, getIfExists, type KubeObject, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { readKonnectorWhy, readMigrate } from '@hawser/commands';
import { type Binding, resources as core } from '@hawser/core-kbind';
import { databases, type SampleApi } from '@hawser/installation';
import { formatTime, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { LONG, MigratingClusters, resourceOf } from './testing/migrating-clusters.js';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', resource: 'configmaps' };
const SECRETS = resources.secrets;
const text = (value: string): string => Buffer.from(value).toString('base64');
const claimOn = (resource: string, app: string) => ({
  group: '',
  resource,
  selector: { labelSelector: { matchLabels: { app } } },
});
const ofTeam = (name: string) => ({ namespace: 'team', name });

describeWithControlPlane('hawser migrate of a binding with permission claims', () => {
  let clusters: MigratingClusters;
  let consumer: Client;
  let provider: Client;
  let role: { stop(): Promise<void> };

  beforeAll(async () => {
    clusters = await MigratingClusters.start('migrate-claims', 'team');
    ({ consumer, provider } = clusters);
  }, 120_000);
  afterAll(() => clusters.stop(), 60_000);
  beforeEach(() => {
    role = clusters.startKonnector();
  });
  afterEach(async () => {
    await role.stop();
  });

  async function restart(): Promise<void> {
    await role.stop();
    role = clusters.startKonnector();
  }

  /** Binds an API with claims on Secrets and ConfigMaps of that app, and makes one object. */
  async function bound(api: SampleApi): Promise<void> {
    const { group, kind, plural } = api;
    await clusters.bindAPI(api, 'Prefixed', [claimOn('secrets', plural), claimOn('configmaps', plural)]);
    const object = { apiVersion: `${group}/v1`, kind, metadata: ofTeam('one'), spec: { size: 'small' } };
    await consumer.create(resourceOf(api), object);
    await eventually(() => provider.get(resourceOf(api), ofTeam('one')), LONG);
  }

  /** A Secret of the provider. */
  const secret = (app: string, name: string, value = 'one'): Promise<KubeObject> =>
    provider.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...ofTeam(name), labels: { app } },
      data: { password: text(value) },
    } as KubeObject);
  /** A ConfigMap of the consumer. */
  const configMap = (app: string, name: string, value = 'one'): Promise<KubeObject> =>
    consumer.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...ofTeam(name), labels: { app } },
      data: { mode: value },
    } as KubeObject);
  const comes = (client: Client, resource: Resource, name: string, data: object): Promise<void> =>
    eventually(async () => {
      expect(await client.get(resource, ofTeam(name))).toMatchObject({ data });
    }, LONG);

  async function created(app: string, name: string): Promise<void> {
    await secret(app, name);
    await configMap(app, name);
    await comes(consumer, SECRETS, name, { password: text('one') });
    await comes(provider, CONFIG_MAPS, name, { mode: 'one' });
  }

  /** Changes both originals, and waits for their copies. */
  async function passesOn(name: string, value: string): Promise<void> {
    await provider.patch(SECRETS, ofTeam(name), { type: 'merge', patch: { data: { password: text(value) } } });
    await consumer.patch(CONFIG_MAPS, ofTeam(name), { type: 'merge', patch: { data: { mode: value } } });
    await comes(consumer, SECRETS, name, { password: text(value) });
    await comes(provider, CONFIG_MAPS, name, { mode: value });
  }

  async function identities(): Promise<readonly string[]> {
    const lists = [SECRETS, CONFIG_MAPS].map((resource) => clusters.identities(resource, 'team'));
    return (await Promise.all(lists)).flat();
  }

  /** Verbs and names of the writes to Secrets and ConfigMaps of the namespace. */
  async function writesDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
    const since = await clusters.marks();
    await work();
    const writes = await Promise.all([SECRETS, CONFIG_MAPS].map((resource) => clusters.writesSince(resource, since)));
    return writes
      .flat()
      .flatMap(({ namespace, verb, resource, name }) =>
        namespace === 'team' ? [`${verb} ${resource} ${name ?? ''}`] : [],
      );
  }

  const four = ['patch secrets login', 'patch secrets login', 'patch configmaps login', 'patch configmaps login'];

  it('moves claimed Secrets and ConfigMaps there and back, in place', async () => {
    const ponds: SampleApi = { ...databases, plural: 'ponds', kind: 'Pond' };
    await bound(ponds);
    await created('ponds', 'login');
    let before = await identities();

    const preview = await clusters.run(readMigrate, 'ponds', '--to', 'v2', '--dry-run');
    expect(preview.out).toContain('mark 1 claimed secrets and 1 copies of them in the words of core.kbind.io');
    expect(preview.out).toContain(
      'give ClusterBinding ponds the claims as related resources: secrets labelled app=ponds',
    );
    expect(await getIfExists(consumer, core.connections, { name: 'ponds' })).toBeUndefined();

    const there = await writesDuring(async () => {
      expect(await clusters.run(readMigrate, 'ponds', '--to', 'v2', '--yes')).toMatchObject({ code: 0 });
    });
    expect(there).toEqual(four);
    expect(await identities()).toEqual(before);
    const { uid } = (await consumer.get<Binding>(core.clusterBindings, { name: 'ponds' })).metadata;
    for (const [client, resource] of [
      [consumer, SECRETS],
      [provider, CONFIG_MAPS],
    ] as const) {
      const { labels, annotations } = (await client.get(resource, ofTeam('login'))).metadata;
      expect(labels).toEqual({ app: 'ponds', 'core.kbind.io/managed': 'true' });
      expect(Object.keys(annotations ?? {})).toEqual([
        'core.kbind.io/consumer-cluster-uid',
        'core.kbind.io/related-binding',
      ]);
      expect(annotations).toMatchObject({ 'core.kbind.io/related-binding': uid });
    }
    expect((await provider.get(SECRETS, ofTeam('login'))).metadata.labels).toEqual({ app: 'ponds' });
    await passesOn('login', 'moved');
    await eventually(async () => {
      expect(await consumer.get(core.clusterBindings, { name: 'ponds' })).toMatchObject({
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'RelatedResourcesInSync', status: 'True' }),
          ]),
        },
      });
    }, LONG);
    expect(await clusters.run(readMigrate, 'ponds', '--to', 'v2', '--yes')).toMatchObject({
      out: expect.stringContaining('nothing is to be done'),
    });
    // A restart writes nothing to what is in step, and the konnector works.
    const afterRestart = await writesDuring(async () => {
      await restart();
      await created('ponds', 'second');
    });
    expect(afterRestart.filter((write) => !write.endsWith(' second'))).toEqual([]);

    before = await identities();
    const back = await writesDuring(async () => {
      expect(await clusters.run(readMigrate, 'ponds', '--to', 'v1', '--yes')).toMatchObject({ code: 0 });
    });
    expect(back.filter((write) => !write.endsWith(' second'))).toEqual(four);
    expect(await identities()).toEqual(before);
    await passesOn('login', 'back');
    await passesOn('second', 'back');
    const afterSecond = await writesDuring(async () => {
      await restart();
      await created('ponds', 'third');
    });
    expect(afterSecond.filter((write) => !write.endsWith(' third'))).toEqual([]);
    // The konnector takes the copies for its own: they go with their originals.
    await provider.delete(SECRETS, ofTeam('login'));
    await consumer.delete(CONFIG_MAPS, ofTeam('login'));
    await eventually(async () => {
      expect(await getIfExists(consumer, SECRETS, ofTeam('login'))).toBeUndefined();
      expect(await getIfExists(provider, CONFIG_MAPS, ofTeam('login'))).toBeUndefined();
    }, LONG);
  }, 300_000);

  it('leaves the claims to core.kbind.io while the former binding is resumed', async () => {
    const pools: SampleApi = { ...databases, plural: 'pools', kind: 'Pool' };
    await bound(pools);
    await created('pools', 'pool');
    expect(await clusters.run(readMigrate, 'pools', '--to', 'v2', '--yes')).toMatchObject({ code: 0 });
    const patch = { metadata: { annotations: { 'hawser.dev/paused': null } } };
    await consumer.patch(resources.apiServiceBindings, { name: 'pools' }, { type: 'merge', patch });
    await eventually(async () => {
      expect(await consumer.get(resources.apiServiceBindings, { name: 'pools' })).toMatchObject({
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'Ready',
              message: expect.stringContaining('core.kbind.io serves CustomResourceDefinition pools.example.com'),
            }),
            expect.objectContaining({
              type: 'ClaimsInSync',
              status: 'False',
              message: expect.stringContaining('core.kbind.io'),
            }),
          ]),
        },
      });
    }, LONG);
    for (const name of ['pool-two', 'pool-three', 'pool-four', 'pool-five']) {
      await created('pools', name);
      const copies = [await consumer.get(SECRETS, ofTeam(name)), await provider.get(CONFIG_MAPS, ofTeam(name))];
      for (const { metadata } of copies) {
        expect(metadata.labels).toHaveProperty(['core.kbind.io/managed']);
        expect(metadata.labels).not.toHaveProperty(['kube-bind.io/owner']);
      }
    }
    await passesOn('pool', 'resumed');
    await passesOn('pool-five', 'resumed');
    const why = await clusters.run(readKonnectorWhy, '--all');
    expect(why.out).toMatch(/^Secret team\/pool +ServedByCoreKbind +operator/mu);
    expect(why.out).not.toContain('ClaimedObjectUndecided');

    // Both ways that the message names, the last under the policy that deletes most.
    expect(await clusters.run(readMigrate, 'pools', '--to', 'v1', '--yes')).toMatchObject({ code: 0 });
    await passesOn('pool', 'back');
    expect(await clusters.run(readMigrate, 'pools', '--to', 'v2', '--yes')).toMatchObject({ code: 0 });
    await consumer.patch(resources.apiServiceBindings, { name: 'pools' }, { type: 'merge', patch });
    const before = [...(await identities()), ...(await clusters.identities(resourceOf(pools), 'team'))];
    const deletes = { metadata: { annotations: { 'hawser.dev/unbind-policy': 'Delete' } } };
    await consumer.patch(resources.apiServiceBindings, { name: 'pools' }, { type: 'merge', patch: deletes });
    await consumer.delete(resources.apiServiceBindings, { name: 'pools' });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.apiServiceBindings, { name: 'pools' })).toBeUndefined();
    }, LONG);
    await passesOn('pool', 'unbound');
    await created('pools', 'pool-six');
    const after = [...(await identities()), ...(await clusters.identities(resourceOf(pools), 'team'))];
    expect(after).toEqual(expect.arrayContaining(before));
  }, 200_000);

  it('may be broken off after each step, and goes on or back', async () => {
    const lakes: SampleApi = { ...databases, plural: 'lakes', kind: 'Lake' };
    await bound(lakes);
    for (const name of ['one', 'two']) await created('lakes', name);
    const before = await identities();
    const go = async (to: 'v1' | 'v2', steps = Infinity): Promise<number> => {
      const { left, result } = await clusters.migrateSteps('lakes', to, steps);
      expect(result).toEqual({ kind: 'migrated' });
      expect(await identities()).toEqual(before);
      return left;
    };
    for (const [to, back] of [
      ['v2', 'v1'],
      ['v1', 'v2'],
    ] as const) {
      for (let steps = 1; (await go(to, steps)) > 0; steps++) {
        expect(steps).toBeLessThan(20);
        if (steps % 3 === 0) await restart();
      }
      for (const name of ['one', 'two']) await passesOn(name, `on ${to}`);
      await go(back);
      for (const steps of [6, 7, 8, 9]) {
        await go(to, steps);
        await go(back);
        await passesOn('one', `${back} after ${steps}`);
      }
      await go(to);
      for (const name of ['one', 'two']) await passesOn(name, `at last ${to}`);
    }
    // Deleted between pause and marks: the copy must not become an original that brings it back.
    await clusters.migrateSteps('lakes', 'v2', 2);
    await provider.delete(SECRETS, ofTeam('two'));
    expect((await clusters.migrateSteps('lakes', 'v2')).result).toEqual({ kind: 'migrated' });
    expect((await consumer.get(SECRETS, ofTeam('two'))).metadata.annotations).toHaveProperty([
      'core.kbind.io/related-binding',
    ]);
    await passesOn('one', 'moved');
    await eventually(async () => {
      expect(await consumer.get(core.clusterBindings, { name: 'lakes' })).toMatchObject({
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'RelatedResourcesInSync' })]),
        },
      });
    }, LONG);
    expect(await getIfExists(provider, SECRETS, ofTeam('two'))).toBeUndefined();
  }, 400_000);

  it('waits for the konnector to report this very pause', async () => {
    const rivers: SampleApi = { ...databases, plural: 'rivers', kind: 'River' };
    await bound(rivers);
    const connection = await clusters.migrateSteps('rivers', 'v2', 3);
    expect(connection.result).toEqual({ kind: 'migrated' });
    await role.stop();
    const paused = {
      type: 'Paused',
      status: 'True',
      reason: 'Paused',
      message: 'An earlier pause says: "hawser migrate: core.kbind.io serves the objects".',
      lastTransitionTime: formatTime(systemClock.now()),
    };
    const name = { name: 'rivers' };
    await consumer.patch(
      resources.apiServiceBindings,
      name,
      { type: 'merge', patch: { status: { conditions: [paused] } } },
      { subresource: 'status' },
    );
    const { result } = await clusters.migrateSteps('rivers', 'v2', 2, 2_000);
    expect(result).toEqual({ kind: 'waiting', what: expect.stringContaining('to say that it has paused') });
    role = clusters.startKonnector();
    expect((await clusters.migrateSteps('rivers', 'v2')).result).toEqual({ kind: 'migrated' });
  }, 120_000);
});
