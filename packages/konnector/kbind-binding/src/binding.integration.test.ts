import { type Client, getIfExists, type KubeObject, type Resource, type UnstructuredObject } from '@hawser/client';
import { type Binding, labels, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { type ConnectionController, createConnectionController } from '@hawser/kbind-connection';
import { resources as kubeResources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, type RunningController, runController, settled } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../kbind-connection/src/testing/kbind-clusters.js';
import { createBindingController, createPullController } from './index.js';

describeWithControlPlane('ClusterBindings and Bindings', () => {
  let clusters: KbindClusters;
  let planes: KbindClusters['planes'];
  let consumer: Client;
  let provider: Client;
  let connections: ConnectionController;
  let running: RunningController[] = [];
  let number = 0;
  /** Of the API, and of everything else of a test. */
  let plural: string;

  beforeAll(async () => {
    clusters = await openKbindClusters(['team', 'other']);
    ({ planes, consumer, provider } = clusters);
    await clusters.putSecret('demo');
    await clusters.connect('demo');
    await start();
  });
  afterAll(async () => {
    await stop();
    await clusters.close();
  });
  beforeEach(() => {
    plural = `widgets${++number}`;
  });
  afterEach(async () => {
    for (const resource of [resources.clusterBindings, resources.bindings])
      for (const { metadata } of (await consumer.list(resource)).items) await consumer.delete(resource, metadata);
    await eventually(async () => {
      const left = [resources.clusterBindings, resources.bindings].map((resource) => consumer.list(resource));
      expect((await Promise.all(left)).flatMap(({ items }) => items)).toEqual([]);
    });
  });

  async function start(): Promise<void> {
    connections = createConnectionController({ open: openProvider });
    // Bindings first: they have to let go of a link before it is closed.
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(createPullController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  }

  async function stop(): Promise<void> {
    for (const one of running) await one.stop();
  }

  const resource = (): Resource => ({ group: 'example.org', version: 'v1', resource: plural });
  const api = (): string => `${plural}.example.org`;
  const openSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

  async function offer(scope: 'Namespaced' | 'Cluster' = 'Namespaced', exported = 'true'): Promise<void> {
    const crd = crdOf(
      { group: 'example.org', plural, kind: `Widget${number}`, scope },
      {
        properties: { spec: { ...openSchema, properties: { size: { type: 'string' } } }, status: openSchema },
        statusSubresource: true,
      },
    );
    await provider.create(customResourceDefinitions, {
      ...crd,
      metadata: { ...crd.metadata, labels: { [labels.exported]: exported } },
    });
  }

  async function bind(spec: object = {}, namespace?: string): Promise<void> {
    await consumer.create(namespace === undefined ? resources.clusterBindings : resources.bindings, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: namespace === undefined ? 'ClusterBinding' : 'Binding',
      metadata: { name: plural, namespace },
      spec: { connectionRef: { name: 'demo' }, apis: [{ name: api() }], ...spec },
    } as KubeObject);
  }

  const binding = (namespace?: string): Promise<Binding | undefined> =>
    getIfExists<Binding>(consumer, namespace === undefined ? resources.clusterBindings : resources.bindings, {
      name: plural,
      namespace,
    });

  const becomes = (conditions: Readonly<Record<string, string>>, namespace?: string): Promise<void> =>
    eventually(async () => {
      const found = (await binding(namespace))?.status?.conditions ?? [];
      expect(Object.fromEntries(found.map(({ type, status, reason }) => [type, `${status} ${reason}`]))).toMatchObject(
        conditions,
      );
    });

  const object = (name: string, size = 'small', namespace: string | undefined = 'team'): UnstructuredObject => ({
    apiVersion: 'example.org/v1',
    kind: `Widget${number}`,
    metadata: { name, namespace },
    spec: { size },
  });

  const on = (client: Client, name: string, namespace = 'team'): Promise<UnstructuredObject | undefined> =>
    getIfExists(client, resource(), { namespace, name }).catch(() => undefined);

  const works = { Ready: 'True AsExpected', Synced: 'True AsExpected', Conflicts: 'False AsExpected' };

  it('install the CRD, carry spec up and status down, and take all of it back', async () => {
    await offer();
    await bind();
    await becomes(works);
    const crd = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
    expect(crd.metadata).toMatchObject({
      labels: { 'core.kbind.io/managed': 'true' },
      annotations: { 'core.kbind.io/connection': 'demo' },
    });
    expect((await binding())?.status?.boundAPIs).toEqual([
      { name: api(), crdHash: crd.metadata.annotations?.['core.kbind.io/schema-hash'] },
    ]);

    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toMatchObject({ spec: { size: 'small' } });
    });
    await provider.patch(
      resource(),
      { namespace: 'team', name: 'one' },
      { type: 'merge', patch: { status: { phase: 'Running' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect(await on(consumer, 'one')).toMatchObject({ status: { phase: 'Running' } });
    });

    await consumer.delete(resources.clusterBindings, { name: plural });
    await eventually(async () => {
      expect(await binding()).toBeUndefined();
    });
    expect(await on(provider, 'one')).toBeUndefined();
    expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toBeUndefined();
    expect(await getIfExists(provider, customResourceDefinitions, { name: api() })).toBeDefined();
  });

  it('write nothing at a restart', async () => {
    await offer();
    await bind();
    await becomes(works);
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    await stop();
    const marks = [await planes.consumer.auditLog().mark(), await planes.provider.auditLog().mark()] as const;
    await start();
    await becomes(works);
    const writes = await settled(async () => [
      ...(await planes.consumer.auditLog().writes({ since: marks[0] })),
      ...(await planes.provider.auditLog().writes({ since: marks[1] })),
    ]);
    expect(writes.filter(({ resource: kind }) => kind !== 'leases' && kind !== 'selfsubjectaccessreviews')).toEqual([]);
  });

  it('say that an object is foreign, and take it over under Adopt', async () => {
    await offer();
    await provider
      .create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })
      .catch(() => undefined);
    await eventually(async () => {
      await provider.create(resource(), object('one', 'foreign'));
    });
    await bind();
    await becomes({ Ready: 'True AsExpected' });
    await consumer.create(resource(), object('one'));
    await becomes({ Conflicts: 'True ForeignObjectExists', Synced: 'False ObjectsNotSynced' });
    expect((await binding())?.status?.boundAPIs).toMatchObject([{ conflictCount: 1 }]);
    expect(await on(provider, 'one')).toMatchObject({ spec: { size: 'foreign' } });

    await consumer.patch(
      resources.clusterBindings,
      { name: plural },
      { type: 'merge', patch: { spec: { conflictPolicy: 'Adopt' } } },
    );
    await becomes(works);
    expect(await on(provider, 'one')).toMatchObject({
      metadata: { labels: { 'core.kbind.io/managed': 'true' } },
      spec: { size: 'small' },
    });
  });

  it('leave alone what a person wants to keep', async () => {
    await offer();
    await bind();
    await becomes(works);
    await consumer.create(resource(), {
      ...object('one'),
      metadata: { name: 'one', namespace: 'team', annotations: { 'core.kbind.io/deletion-policy': 'Orphan' } },
    });
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    await consumer.delete(resource(), { namespace: 'team', name: 'one' });
    await eventually(async () => {
      expect(await on(consumer, 'one')).toBeUndefined();
    });
    expect(await on(provider, 'one')).toBeDefined();
  });

  it('of one namespace keep nothing else in step, and let go of its objects when they go', async () => {
    await offer();
    await bind({}, 'team');
    await becomes(works, 'team');
    await consumer.create(resource(), object('elsewhere', 'small', 'other'));
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    expect(await on(provider, 'elsewhere', 'other')).toBeUndefined();
    expect((await on(consumer, 'elsewhere', 'other'))?.metadata.finalizers).toBeUndefined();

    await consumer.delete(resources.bindings, { namespace: 'team', name: plural });
    await eventually(async () => {
      expect(await binding('team')).toBeUndefined();
    });
    expect(await on(provider, 'one')).toBeUndefined();
    expect((await on(consumer, 'one'))?.metadata.finalizers).toBeUndefined();
  });

  it('serve the APIs that are there, and say which are not', async () => {
    await offer();
    await bind({ apis: [{ name: 'missing.example.org' }, { name: api() }] });
    await becomes({ Ready: 'False APINotExported', Synced: 'True AsExpected' });
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
  });

  it('leave a CRD alone that is somebody else’s, and a cluster-scoped API to ClusterBindings', async () => {
    await offer('Cluster');
    await bind({}, 'team');
    await becomes({ Ready: 'False ClusterScopedAPI' }, 'team');
    const crd = crdOf(
      { group: 'example.org', plural, kind: `Widget${number}`, scope: 'Cluster' },
      { properties: { own: openSchema } },
    );
    await consumer.create(customResourceDefinitions, crd);
    await bind();
    await becomes({ Ready: 'False ForeignCustomResourceDefinition' });
    await consumer.delete(resources.clusterBindings, { name: plural });
    await eventually(async () => {
      expect(await binding()).toBeUndefined();
    });
    expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toMatchObject({
      metadata: { uid: expect.any(String) },
    });
  });

  it('use a Connection only from the namespaces that it lists, if it lists any', async () => {
    await offer();
    const open = (namespaces: string | null): Promise<unknown> =>
      consumer.patch(
        resources.connections,
        { name: 'demo' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/allowed-namespaces': namespaces } } } },
      );
    await open('other');
    await bind({}, 'team');
    await becomes({ Ready: 'False NamespaceRefused' }, 'team');
    expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toBeUndefined();
    await open('other, team');
    await becomes({ Ready: 'True AsExpected' }, 'team');
    await eventually(() => consumer.create(resource(), object('one')));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    await open('other');
    await becomes({ Ready: 'False NamespaceRefused' }, 'team');
    expect(await on(provider, 'one')).toBeDefined();
    await open(null);
    await becomes(works, 'team');
  });

  it('hold a breaking schema, and let a harmless one through', async () => {
    await offer();
    await bind();
    await becomes(works);
    await consumer.create(resource(), object('one'));
    const change = async (properties: object): Promise<void> => {
      const found = await provider.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
      const [version] = found.spec.versions;
      const openAPIV3Schema = { type: 'object', properties: { ...properties, status: openSchema } };
      const versions = [{ ...version, schema: { openAPIV3Schema } }];
      await provider.patch(
        customResourceDefinitions,
        { name: api() },
        { type: 'merge', patch: { spec: { versions } } },
      );
    };
    await change({ spec: { ...openSchema, description: 'With a colour.', properties: { size: { type: 'string' } } } });
    await eventually(async () => {
      const crd = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
      expect(JSON.stringify(crd.spec)).toContain('colour');
    });
    await change({ spec: { ...openSchema, properties: { size: { type: 'integer' } } } });
    await eventually(async () => {
      const schema = (await binding())?.status?.conditions?.find(({ type }) => type === 'SchemaInSync');
      expect(schema?.status).toBe('False');
    });
    const crd = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
    expect(JSON.stringify(crd.spec)).not.toContain('"integer"');
    await becomes({ Ready: 'True AsExpected' });
  });

  async function connectAlso(spec: object): Promise<void> {
    await consumer.create(resources.connections, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'Connection',
      metadata: { name: plural },
      spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' }, ...spec },
    } as KubeObject);
  }

  /** Has the provider offer nothing but the API of this test. */
  async function labelOnly(): Promise<void> {
    const unlabelled = { metadata: { labels: { [labels.exported]: null } } };
    const labelSelector = `${labels.exported}=true`;
    for (const { metadata } of (await provider.list(customResourceDefinitions, { labelSelector })).items)
      if (metadata.name !== api())
        await provider.patch(customResourceDefinitions, { name: metadata.name }, { type: 'merge', patch: unlabelled });
  }

  async function disconnect(): Promise<void> {
    await consumer.delete(resources.connections, { name: plural });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.connections, { name: plural })).toBeUndefined();
    });
  }

  it('are made by autoBind over all that is offered, do not shrink, and go with their Connection', async () => {
    await offer();
    await labelOnly();
    await connectAlso({ autoBind: true });
    await eventually(async () => {
      expect(await binding()).toMatchObject({
        metadata: {
          labels: { 'core.kbind.io/managed': 'true' },
          ownerReferences: [{ kind: 'Connection', name: plural }],
        },
      });
      expect((await binding())?.spec.apis).toContainEqual({ name: api() });
    });
    await eventually(async () => {
      await consumer.create(resource(), object('one'));
    });
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    const unlabelled = { metadata: { labels: { [labels.exported]: null } } };
    await provider.patch(customResourceDefinitions, { name: api() }, { type: 'merge', patch: unlabelled });
    await eventually(async () => {
      const told = (await binding())?.status?.conditions?.find(({ type }) => type === 'Ready');
      expect(told).toMatchObject({ status: 'False', reason: 'APINotExported' });
    });
    expect((await binding())?.spec.apis).toContainEqual({ name: api() });
    expect(await on(consumer, 'one')).toBeDefined();
    const labelled = { metadata: { labels: { [labels.exported]: 'true' } } };
    await provider.patch(customResourceDefinitions, { name: api() }, { type: 'merge', patch: labelled });
    await disconnect();
    expect(await binding()).toBeUndefined();
    expect(await on(provider, 'one')).toBeUndefined();
  });

  it('are not needed where everything is pulled', async () => {
    await offer();
    await labelOnly();
    await connectAlso({ schema: { source: 'CRD', pullPolicy: 'All' } });
    await eventually(async () => {
      const crd = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
      expect(crd.metadata.annotations).toMatchObject({ 'core.kbind.io/connection': plural });
    });
    await eventually(async () => {
      const found = await consumer.get<KubeObject & { status?: { conditions?: { type: string; status: string }[] } }>(
        resources.connections,
        { name: plural },
      );
      // Those of other tests belong to another Connection.
      expect(found.status?.conditions?.map(({ type }) => type)).toContain('APIsInstalled');
    });
    await disconnect();
    expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toBeDefined();
  });
});
