import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, getIfExists, type KubeObject, type ObjectKey } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Binding, type Connection, installCRDs as installCoreKbind, labels, resources } from '@hawser/core-kbind';
import { databases, type SampleApi, sampleCrd } from '@hawser/installation';
import {
  apiVersion,
  boundSchemaFromCRD,
  consumerCRDs,
  type CustomResourceDefinition,
  installCRDs,
  providerCRDs,
  resources as kubeResources,
} from '@hawser/kube-bind';
import {
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  kubeconfigText,
  startControlPlane,
} from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { renderChart } from './chart.js';
import { type Ended, runCommand } from './command.js';
import { LONG, objectOf, resourceOf } from './copies.js';
import { type Program, startProgram } from './program.js';
import { root } from './root.js';
import { executables } from './system.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

type Where = 'alpha' | 'beta';
const zones: SampleApi = { ...databases, plural: 'zones', kind: 'Zone', scope: 'Cluster' };
/** Stands for the consumer on the provider, in the words of `kube-bind.io`. */
const HOME = 'kube-bind-shop';

// With the rights that the chart gives.
describeWithControlPlane('one API at two providers', () => {
  const folder = join(root, 'tmp', 'e2e', 'core-kbind-routes');
  let planes: Readonly<Record<'consumer' | Where, ControlPlane>>;
  let consumer: Client;
  let providers: Readonly<Record<Where, Client>>;
  let watchdog: Watchdog;
  let konnector: Program;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    watchdog = startWatchdog();
    const [one, alpha, beta] = await Promise.all(
      ['consumer', 'alpha', 'beta'].map((name) => startControlPlane({ name: `routes-${name}` })),
    );
    if (one === undefined || alpha === undefined || beta === undefined) throw new Error('a control plane is missing');
    planes = { consumer: one, alpha, beta };
    consumer = createClient({ name: 'consumer', connection: one.connection });
    providers = {
      alpha: createClient({ name: 'alpha', connection: alpha.connection }),
      beta: createClient({ name: 'beta', connection: beta.connection }),
    };
    await installCRDs(consumer, consumerCRDs, { clock: systemClock });
    await installCoreKbind(consumer, { clock: systemClock });
    for (const name of ['hawser', 'kbind', 'team', 'shop']) await namespace(consumer, name);
    for (const where of ['alpha', 'beta'] as const) {
      writeFileSync(join(folder, `${where}.kubeconfig`), planes[where].kubeconfig, { mode: 0o600 });
      for (const api of [databases, zones]) await offer(api, where);
      await connect(where);
    }
    await one.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rights() }),
    });
    writeFileSync(join(folder, 'kubeconfig'), await one.serviceAccountKubeconfig('hawser', 'konnector'), {
      mode: 0o600,
    });
    const config = { roles: ['konnector'], konnector: { coreKbind: { enabled: true, secretNamespaces: ['kbind'] } } };
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
    konnector = await start('konnector');
  }, 120_000);
  afterAll(async () => {
    await konnector.stop();
    await Promise.all([consumer, providers.alpha, providers.beta].map((client) => client.close()));
    await Promise.all([planes.consumer, planes.alpha, planes.beta].map((plane) => plane.stop()));
    await watchdog.close();
  }, 60_000);

  const rights = (): readonly unknown[] =>
    renderChart(join(root, 'charts/konnector'), ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml'], {
      name: 'konnector',
      namespace: 'hawser',
      values: {
        coreKbind: { enabled: true, secretNamespaces: ['kbind'] },
        boundResources: [{ group: databases.group, resources: [databases.plural, zones.plural] }],
      },
    });

  const start = (name: string): Promise<Program> =>
    startProgram({
      name,
      command: executables.hawser,
      env: { POD_NAME: name, POD_NAMESPACE: 'hawser' },
      args: ['run', '--config', join(folder, 'config.yaml'), '--kubeconfig', join(folder, 'kubeconfig')],
      folder,
      watchdog,
    });

  const namespace = (client: Client, name: string): Promise<unknown> =>
    client.create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  async function offer(api: SampleApi, where: Where): Promise<void> {
    const crd = sampleCrd(api);
    const metadata = { ...crd.metadata, labels: { [labels.exported]: 'true' } };
    await providers[where].create(kubeResources.customResourceDefinitions, { ...crd, metadata });
  }

  async function connect(where: Where): Promise<void> {
    await consumer.create(kubeResources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kbind', name: where },
      data: { kubeconfig: Buffer.from(planes[where].kubeconfig).toString('base64') },
    } as KubeObject);
    await consumer.create(resources.connections, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'Connection',
      metadata: { name: where },
      spec: { kubeconfigSecretRef: { namespace: 'kbind', name: where } },
    } as KubeObject);
  }

  interface Rule {
    readonly api: SampleApi;
    readonly name: string;
    readonly namespace?: string;
    readonly to: string;
    readonly selector?: string;
  }

  async function bind({ api, name, namespace: inside, to, selector }: Rule): Promise<void> {
    const resource = inside === undefined ? resources.clusterBindings : resources.bindings;
    const annotations = selector === undefined ? {} : { 'hawser.dev/object-selector': selector };
    await consumer.create(resource, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: inside === undefined ? 'ClusterBinding' : 'Binding',
      metadata: { name, namespace: inside, annotations },
      spec: { connectionRef: { name: to }, apis: [{ name: `${api.plural}.${api.group}` }] },
    } as KubeObject);
    await eventually(async () => {
      const found = await consumer.get<Binding | Connection>(resource, { name, namespace: inside });
      expect(found.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    }, LONG);
  }

  const copy = (api: SampleApi, where: Where, key: ObjectKey): Promise<KubeObject | undefined> =>
    getIfExists<KubeObject>(providers[where], resourceOf(api), key).catch(() => undefined);

  async function make(api: SampleApi, key: ObjectKey, tier: string): Promise<void> {
    const object = objectOf(api, key);
    await consumer.create(resourceOf(api), { ...object, metadata: { ...object.metadata, labels: { tier } } });
  }

  const label = (api: SampleApi, key: ObjectKey, tier: string): Promise<unknown> =>
    consumer.patch(resourceOf(api), key, { type: 'merge', patch: { metadata: { labels: { tier } } } });

  /** The service says how its copy stands. */
  async function report(api: SampleApi, where: Where, key: ObjectKey, phase: string): Promise<void> {
    await eventually(async () => {
      expect(await copy(api, where, key)).toBeDefined();
    }, LONG);
    const patch = { status: { phase } };
    await providers[where].patch(resourceOf(api), key, { type: 'merge', patch }, { subresource: 'status' });
  }

  const shows = (api: SampleApi, key: ObjectKey, phase: string): Promise<void> =>
    eventually(async () => {
      expect(await consumer.get(resourceOf(api), key)).toMatchObject({ status: { phase } });
    }, LONG);

  /** The object has one copy, there, and says what the service says of it. */
  async function isServed(api: SampleApi, where: Where, key: ObjectKey, phase: string): Promise<void> {
    await report(api, where, key, phase);
    await shows(api, key, phase);
    expect(await copy(api, where === 'alpha' ? 'beta' : 'alpha', key)).toBeUndefined();
  }

  const hawser = (...args: readonly string[]): Promise<Ended> =>
    runCommand(executables.hawser, [...args, `--kubeconfig=${planes.consumer.kubeconfigFile}`]);

  const marks = async (api: SampleApi, key: ObjectKey): Promise<readonly string[]> =>
    Object.keys((await consumer.get(resourceOf(api), key)).metadata.annotations ?? {}).filter((mark) =>
      mark.startsWith('hawser.dev/move'),
    );

  it('is routed by namespace and by label', async () => {
    await bind({ api: databases, name: 'gold', namespace: 'team', to: 'alpha', selector: 'tier=gold' });
    await bind({ api: databases, name: 'silver', namespace: 'team', to: 'beta', selector: 'tier=silver' });
    await bind({ api: databases, name: 'all', namespace: 'shop', to: 'beta' });
    await make(databases, { namespace: 'team', name: 'one' }, 'gold');
    await make(databases, { namespace: 'team', name: 'two' }, 'silver');
    await make(databases, { namespace: 'shop', name: 'one' }, 'gold');
    await isServed(databases, 'alpha', { namespace: 'team', name: 'one' }, 'Ready');
    await isServed(databases, 'beta', { namespace: 'team', name: 'two' }, 'Ready');
    await isServed(databases, 'beta', { namespace: 'shop', name: 'one' }, 'Ready');
  }, 120_000);

  it('serves an object where it was until its move is over, through an abort and a restart of the konnector', async () => {
    const key = { namespace: 'team', name: 'one' };
    await label(databases, key, 'silver');
    const preview = await hawser('move', 'team/one', '--to=beta', '--dry-run');
    expect(preview).toMatchObject({ code: 0, out: expect.stringContaining('prepare a copy at Connection beta') });

    // The command is killed while the copy is prepared.
    const killed = spawn(executables.hawser, [
      ...['move', 'team/one', '--to=beta', '--yes'],
      `--kubeconfig=${planes.consumer.kubeconfigFile}`,
    ]);
    const ended = new Promise((resolve) => killed.once('close', resolve));
    await eventually(async () => {
      expect(await copy(databases, 'beta', key)).toBeDefined();
    }, LONG);
    killed.kill('SIGKILL');
    await ended;
    await report(databases, 'alpha', key, 'Still at alpha');
    await shows(databases, key, 'Still at alpha');
    expect(await hawser('move', 'team/one', '--to=beta', '--undo')).toMatchObject({ code: 0 });
    await isServed(databases, 'alpha', key, 'Ready');
    expect(await marks(databases, key)).toEqual([]);

    const moving = hawser('move', 'team/one', '--to=beta', '--yes');
    await eventually(async () => {
      expect(await copy(databases, 'beta', key)).toBeDefined();
    }, LONG);
    await konnector.stop();
    await report(databases, 'beta', key, 'Ready');
    konnector = await start('konnector-again');
    expect(await moving).toMatchObject({ code: 0, out: expect.stringContaining('is served at Connection beta') });
    await isServed(databases, 'beta', key, 'Moved');
    expect(await marks(databases, key)).toEqual([]);
  }, 120_000);

  /** Exports and binds the API in the words of `kube-bind.io`. */
  async function bindInWordsOfKubeBind(api: SampleApi): Promise<void> {
    const { alpha } = providers;
    await installCRDs(alpha, providerCRDs, { clock: systemClock });
    await namespace(alpha, HOME);
    const name = `${api.plural}.${api.group}`;
    const crd = await alpha.get<CustomResourceDefinition>(kubeResources.customResourceDefinitions, { name });
    const mode = { informerScope: 'Cluster', isolation: 'None' } as const;
    await alpha.create(kubeResources.boundSchemas, boundSchemaFromCRD(crd, { namespace: HOME, name, ...mode }));
    await alpha.create(kubeResources.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: { namespace: HOME, name: api.plural },
      spec: { resources: [{ group: api.group, resource: api.plural, versions: ['v1'] }], ...mode },
    } as KubeObject);
    const kubeconfig = kubeconfigText('shop', { ...planes.alpha.connection, namespace: HOME });
    await consumer.create(kubeResources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'hawser', name: 'shop' },
      data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
    } as KubeObject);
    await consumer.create(kubeResources.apiServiceBindings, {
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: { name: api.plural },
      spec: { kubeconfigSecretRef: { namespace: 'hawser', name: 'shop', key: 'kubeconfig' } },
    } as KubeObject);
    await eventually(() => consumer.list(resourceOf(api)), LONG);
  }

  it('is moved there from kube-bind.io, and back', async () => {
    await bindInWordsOfKubeBind(zones);
    const [north, south] = [{ name: 'north' }, { name: 'south' }];
    for (const key of [north, south]) await eventually(() => make(zones, key, 'gold'), LONG);
    for (const key of [north, south]) await isServed(zones, 'alpha', key, 'Ready');
    const uids = async (): Promise<readonly unknown[]> =>
      Promise.all(
        [consumer, providers.alpha].map(async (client) => (await client.get(resourceOf(zones), south)).metadata.uid),
      );
    const before = await uids();
    const migrate = (...args: readonly string[]): Promise<Ended> =>
      hawser('migrate', 'zones', ...args, `--provider-kubeconfig=${join(folder, 'alpha.kubeconfig')}`);

    expect(await migrate('--to=v2', '--connection=alpha', '--yes')).toMatchObject({ code: 0, err: '' });
    for (const key of [north, south]) await isServed(zones, 'alpha', key, 'Migrated');

    // One of the objects goes to the other provider.
    const selector = { metadata: { annotations: { 'hawser.dev/object-selector': 'tier!=silver' } } };
    await consumer.patch(resources.clusterBindings, { name: 'zones' }, { type: 'merge', patch: selector });
    await bind({ api: zones, name: 'silver-zones', to: 'beta', selector: 'tier=silver' });
    await label(zones, north, 'silver');
    expect(await hawser('move', 'north', '--to=beta', '--resource=zones.example.com', '--dry-run')).toMatchObject({
      code: 0,
    });
    const moving = hawser('move', 'north', '--to=beta', '--yes');
    await report(zones, 'beta', north, 'Ready');
    expect(await moving).toMatchObject({ code: 0 });
    await isServed(zones, 'beta', north, 'Moved');

    // It has to be back before all of them go back.
    expect(await migrate('--to=v1', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('hawser move north --to alpha'),
    });
    await isServed(zones, 'beta', north, 'Still moved');
    await label(zones, north, 'gold');
    const back = hawser('move', 'north', '--to=alpha', '--yes');
    await report(zones, 'alpha', north, 'Ready');
    expect(await back).toMatchObject({ code: 0 });
    await consumer.delete(resources.clusterBindings, { name: 'silver-zones' });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.clusterBindings, { name: 'silver-zones' })).toBeUndefined();
    }, LONG);
    expect(await migrate('--to=v1', '--yes')).toMatchObject({ code: 0, err: '' });
    for (const key of [north, south]) await isServed(zones, 'alpha', key, 'Back');
    expect(await uids()).toEqual(before);
    const { metadata } = await consumer.get(resourceOf(zones), north);
    expect(metadata.finalizers).toEqual(['kubebind.io/syncer']);
    expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('hawser.dev/'))).toEqual([]);
    await consumer.delete(resourceOf(zones), north);
    await eventually(async () => {
      expect(await getIfExists(consumer, resourceOf(zones), north)).toBeUndefined();
    }, LONG);
    expect(await copy(zones, 'alpha', north)).toBeUndefined();
  }, 120_000);
});
