import { migrate, observeMigration, planMigration, type MigrateOptions, type MigrationWish } from '@hawser/bind';
import { type Client, createClient, getIfExists, type KubeObject, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type ProcessContext, readMigrate, readUnbind, type Task } from '@hawser/commands';
import { parseConfig } from '@hawser/config';
import { installCRDs as installCoreKbind, resources as core } from '@hawser/core-kbind';
import { crdOf, databases, type SampleApi } from '@hawser/installation';
import {
  apiVersion,
  boundSchemaFromCRD,
  consumerCRDs,
  type CustomResourceDefinition,
  installCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import {
  type AuditEntry,
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  kubeconfigText,
  startControlPlane,
} from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { createKonnectorRole } from './konnector-role.js';
import { type Ran, runRead } from '../../../packages/cli/commands/src/testing/run-read.js';

const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };
const HOME = 'kube-bind-shop';
const LONG = { timeoutMs: 60_000, intervalMs: 100 };
const resourceOf = ({ group, plural }: SampleApi): Resource => ({ group, version: 'v1', resource: plural });

describeWithControlPlane('hawser migrate', () => {
  let planes: Readonly<Record<'consumer' | 'provider', ControlPlane>>;
  let consumer: Client;
  let provider: Client;
  let role: { stop(): Promise<void> };

  beforeAll(async () => {
    const [one, other] = await Promise.all([
      startControlPlane({ name: 'migrate-consumer', controllerManager: true }),
      startControlPlane({ name: 'migrate-provider', controllerManager: true }),
    ]);
    planes = { consumer: one, provider: other };
    consumer = createClient({ name: 'consumer', connection: one.connection });
    provider = createClient({ name: 'provider', connection: other.connection });
    await installCRDs(consumer, consumerCRDs, { clock: systemClock });
    await installCoreKbind(consumer, { clock: systemClock });
    await installCRDs(provider, providerCRDs, { clock: systemClock });
    for (const name of ['kube-bind', 'kbind', 'team']) await namespace(consumer, name);
    for (const name of [HOME, 'team', `${HOME}-far`]) await namespace(provider, name);
    await namespace(consumer, 'far');
    const kubeconfig = kubeconfigText('shop', { ...other.connection, namespace: HOME });
    await consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kube-bind', name: 'shop' },
      data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
    } as KubeObject);
    await assign('team', 'team');
    await assign('far', `${HOME}-far`);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([consumer.close(), provider.close()]);
    await Promise.all([planes.consumer.stop(), planes.provider.stop()]);
  }, 60_000);
  beforeEach(() => {
    role = startKonnector();
  });
  afterEach(async () => {
    await role.stop();
  });

  const namespace = (client: Client, name: string): Promise<unknown> =>
    client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  /** As a provider would that keeps the namespaces of its consumers as they are. */
  async function assign(from: string, to: string): Promise<void> {
    const key = { namespace: HOME, name: from };
    const object = { apiVersion, kind: 'APIServiceNamespace', metadata: key, spec: {} };
    await provider.create(resources.apiServiceNamespaces, object);
    const patch = { status: { namespace: to } };
    await provider.patch(resources.apiServiceNamespaces, key, { type: 'merge', patch }, { subresource: 'status' });
  }

  /** One process that serves both generations. */
  function startKonnector(): { stop(): Promise<void> } {
    const stopping = new AbortController();
    const context: ProcessContext = {
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      version: 'test',
      env: { POD_NAME: 'test' },
    };
    const { konnector } = parseConfig(
      {
        roles: ['konnector'],
        konnector: {
          kubeconfig: planes.consumer.kubeconfigFile,
          lease: { namespace: 'kube-bind' },
          coreKbind: { enabled: true, secretNamespaces: ['kbind'] },
        },
      },
      'test',
    );
    const running = createKonnectorRole(konnector, context).then((made) => made.run(stopping.signal));
    return {
      async stop() {
        stopping.abort();
        await running;
      },
    };
  }

  /** Exports and binds an API in the words of `kube-bind.io`. */
  async function bindAPI(api: SampleApi, isolation: 'None' | 'Prefixed'): Promise<void> {
    const crd = crdOf(api, {
      labels: { 'core.kbind.io/exported': 'true' },
      properties: {
        spec: { type: 'object', properties: { size: { type: 'string' } } },
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    });
    await provider.create(resources.customResourceDefinitions, crd);
    const live = await provider.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
      name: crd.metadata.name,
    });
    const at = { namespace: HOME, name: crd.metadata.name };
    await provider.create(
      resources.boundSchemas,
      boundSchemaFromCRD(live, { ...at, informerScope: 'Cluster', isolation }),
    );
    await provider.create(resources.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: { namespace: HOME, name: api.plural },
      spec: {
        resources: [{ group: api.group, resource: api.plural, versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation,
      },
    } as KubeObject);
    await consumer.create(resources.apiServiceBindings, {
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: { name: api.plural },
      spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'shop', key: 'kubeconfig' } },
    } as KubeObject);
    await eventually(() => consumer.list(resourceOf(api)), LONG);
  }

  const object = ({ group, kind, scope }: SampleApi, name: string, inNamespace = 'team'): KubeObject =>
    ({
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name, ...(scope === 'Cluster' ? {} : { namespace: inNamespace }) },
      spec: { size: 'small' },
    }) as KubeObject;
  const keyOf = ({ metadata: { name, namespace: place } }: KubeObject) => ({ name, namespace: place });

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

  const identities = async (api: SampleApi): Promise<readonly string[]> => {
    const both = await Promise.all([consumer, provider].map((client) => client.list<KubeObject>(resourceOf(api))));
    return both.flatMap(({ items }) =>
      items.map(({ metadata }) => `${metadata.name} ${metadata.uid ?? ''} ${metadata.deletionTimestamp ?? ''}`),
    );
  };

  const run = (read: (args: readonly string[]) => Task | string, ...args: readonly string[]): Promise<Ran> =>
    runRead(read, planes.consumer.kubeconfigFile, ...args);

  /** Writes to objects of the API on both sides, since the marks. */
  async function writesSince(
    api: SampleApi,
    marks: readonly Awaited<ReturnType<ReturnType<ControlPlane['auditLog']>['mark']>>[],
  ): Promise<readonly AuditEntry[]> {
    const logs = [planes.consumer.auditLog(), planes.provider.auditLog()];
    const found = await Promise.all(
      logs.map((log, index) => {
        const since = marks[index];
        return log.writes({ ...(since === undefined ? {} : { since }), group: api.group, resource: api.plural });
      }),
    );
    return found.flat();
  }
  const marks = () => Promise.all([planes.consumer.auditLog().mark(), planes.provider.auditLog().mark()]);

  it('moves a cluster-scoped API there and back, with one write for each object and each copy', async () => {
    await bindAPI(zones, 'None');
    const made = ['north', 'south', 'west'].map((name) => object(zones, name));
    for (const one of made) await consumer.create(resourceOf(zones), one);
    for (const one of made) await inStep(zones, one, 'Ready');
    const before = await identities(zones);
    const key = { name: 'north' };
    expect((await provider.get(resourceOf(zones), key)).metadata.ownerReferences).toHaveLength(1);

    const preview = await run(readMigrate, 'zones', '--to', 'v2', '--dry-run');
    expect(preview).toMatchObject({
      code: 0,
      out: expect.stringContaining('mark 3 objects and 3 copies of zones.example.com in the words of core.kbind.io'),
    });
    expect(await run(readMigrate, 'zones', '--to', 'v2')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--yes'),
    });
    expect(await getIfExists(consumer, core.connections, { name: 'zones' })).toBeUndefined();

    let since = await marks();
    expect(await run(readMigrate, 'zones', '--to', 'v2', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('zones is served by core.kbind.io'),
    });
    expect(await identities(zones)).toEqual(before);
    expect((await writesSince(zones, since)).map(({ verb }) => verb)).toEqual(Array.from({ length: 6 }, () => 'patch'));
    const moved = await consumer.get(resourceOf(zones), key);
    expect(moved.metadata.finalizers).toEqual(['core.kbind.io/syncer']);
    const copy = await provider.get(resourceOf(zones), key);
    expect(copy.metadata.annotations).toMatchObject({ 'core.kbind.io/consumer-object-uid': moved.metadata.uid });
    expect(copy.metadata.annotations).not.toHaveProperty('kube-bind.io/cluster-namespace');
    expect(copy.metadata.ownerReferences).toBeUndefined();
    for (const one of made) await inStep(zones, one, 'Moved');
    expect(await run(readMigrate, 'zones', '--to', 'v2', '--yes')).toMatchObject({
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
    since = await marks();
    expect(await run(readMigrate, 'zones', '--to', 'v1', '--yes')).toMatchObject({ code: 0 });
    for (const one of made) await inStep(zones, one, 'Back');
    expect(await identities(zones)).toEqual(before);
    const ofKonnector = (await writesSince(zones, since)).filter(({ subresource }) => subresource !== 'status');
    expect(ofKonnector.map(({ verb }) => verb)).toEqual(Array.from({ length: 6 }, () => 'patch'));
    expect((await consumer.get(resourceOf(zones), key)).metadata.finalizers).toEqual(['kubebind.io/syncer']);

    // What a user deletes goes on both sides, in either generation.
    expect(await run(readMigrate, 'zones', '--to', 'v2', '--yes')).toMatchObject({ code: 0 });
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
    expect(await run(readUnbind, 'zones', '--dialect=core-kbind', '--policy=Delete', '--yes')).toMatchObject({
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
    await bindAPI(regions, 'Prefixed');
    const made = ['one', 'two'].map((name) => object(regions, name));
    for (const one of made) await consumer.create(resourceOf(regions), one);
    for (const one of made) await inStep(regions, one, 'Ready');
    let before = await identities(regions);
    const signal = new AbortController().signal;
    const kubeconfig = kubeconfigText('shop', { ...planes.provider.connection, namespace: HOME });
    const options: MigrateOptions = {
      consumer,
      provider,
      connected: provider,
      clusterNamespace: HOME,
      signal,
      clock: systemClock,
      tell: () => undefined,
      timeoutMs: 60_000,
      konnectorRuns: () => Promise.resolve(true),
    };
    /** Resolves to the number of steps that were left. */
    const go = async (to: 'v1' | 'v2', steps = Infinity): Promise<number> => {
      const wish: MigrationWish = { name: 'regions', to, kubeconfig };
      const observed = await observeMigration(options, wish);
      const plan = planMigration(wish, observed);
      expect(plan.refusals).toEqual([]);
      expect(await migrate(options, observed, { steps: plan.steps.slice(0, steps) })).toEqual({ kind: 'migrated' });
      expect(await identities(regions)).toEqual(before);
      return plan.steps.length - steps;
    };

    // On: one step of each plan, and a restart of the konnector in between.
    for (let left = 1, guard = 0; left > 0; guard++) {
      expect(guard).toBeLessThan(20);
      // The pause alone is repeated until the CRD has changed hands; so one step more each time.
      left = await go('v2', guard + 1);
      if (guard === 3) {
        await role.stop();
        role = startKonnector();
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
    before = await identities(regions);
    await go('v2', 2);
    await consumer.delete(resourceOf(regions), three);
    expect(await run(readMigrate, 'regions', '--to', 'v2', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('ObjectsTerminating'),
    });
    expect(await run(readMigrate, 'regions', '--to', 'v1', '--yes')).toMatchObject({ code: 0 });
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
    await bindAPI(lakes, 'Prefixed');
    await bindAPI(rivers, 'Prefixed');
    const far = object(rivers, 'far', 'far');
    await consumer.create(resourceOf(rivers), far);
    await eventually(() => provider.get(resourceOf(rivers), { namespace: `${HOME}-far`, name: 'far' }), LONG);
    const refused = await run(readMigrate, '--to', 'v2', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^lakes: PlaceDiffers: Copies of lakes\.example\.com have other names.*Prefixed/mu);
    expect(refused.err).toMatch(
      /^rivers: PlaceDiffers: Copies of rivers\.example\.com in namespace far are in namespace kube-bind-shop-far/mu,
    );
    const binding = await consumer.get(resources.apiServiceBindings, { name: 'rivers' });
    expect(binding.metadata.annotations ?? {}).not.toHaveProperty('hawser.dev/paused');
    expect(await run(readMigrate, 'nothing', '--to', 'v2')).toMatchObject({ code: 1 });
  }, 120_000);
});
