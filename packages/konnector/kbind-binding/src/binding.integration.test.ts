import {
  type Client,
  getIfExists,
  isNotFound,
  type KubeObject,
  type Resource,
  type UnstructuredObject,
} from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Binding, type Connection, connectionOf, labels, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { type ConnectionController, createConnectionController } from '@hawser/kbind-connection';
import { kubeBindDialect, resources as kubeResources } from '@hawser/kube-bind';
import { createStoredVersions } from '@hawser/storedversions';
import { createMetrics } from '@hawser/telemetry';
import { describeWithControlPlane, eventually, type RunningController, runController, settled } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../kbind-connection/src/testing/kbind-clusters.js';
import { type BindingController, createBindingController, createPullController } from './index.js';

describeWithControlPlane('ClusterBindings and Bindings', () => {
  let clusters: KbindClusters;
  let planes: KbindClusters['planes'];
  let consumer: Client;
  let provider: Client;
  let connections: ConnectionController;
  let bindings: BindingController;
  let metrics: ReturnType<typeof createMetrics>;
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
      for (const { metadata } of (await consumer.list(resource)).items)
        await consumer.delete(resource, metadata).catch((error: unknown) => {
          // A test may have deleted it, and the konnector lets it go meanwhile.
          if (!isNotFound(error)) throw error;
        });
    await eventually(async () => {
      const left = [resources.clusterBindings, resources.bindings].map((resource) => consumer.list(resource));
      expect((await Promise.all(left)).flatMap(({ items }) => items)).toEqual([]);
    });
  });

  async function start(): Promise<void> {
    connections = createConnectionController({ open: openProvider });
    bindings = createBindingController({ links: connections.links });
    metrics = createMetrics();
    // Bindings first: they have to let go of a link before it is closed.
    running = [
      await runController(bindings, { consumer }, systemClock, metrics),
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

  it('leave objects alone once their CRD is somebody else’s, and let go of those that have copies with the binding', async () => {
    await offer();
    await bind();
    await becomes(works);
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    const mark = (value: string | null): Promise<unknown> =>
      consumer.patch(
        customResourceDefinitions,
        { name: api() },
        { type: 'merge', patch: { metadata: { labels: { 'core.kbind.io/managed': value } } } },
      );
    await mark(null);
    await becomes({ Ready: 'False ForeignCustomResourceDefinition' });
    expect(bindings.syncs.map(({ key }) => key)).not.toContain(plural);
    await consumer.create(resource(), object('two'));
    expect(await settled(async () => [(await on(provider, 'two')) ?? []].flat())).toEqual([]);
    expect((await on(consumer, 'two'))?.metadata.finalizers).toBeUndefined();
    expect(await on(provider, 'one')).toBeDefined();

    await mark('true');
    await becomes(works);
    await eventually(async () => {
      expect(await on(provider, 'two')).toBeDefined();
    });

    await mark(null);
    await becomes({ Ready: 'False ForeignCustomResourceDefinition' });
    await consumer.delete(resources.clusterBindings, { name: plural });
    await eventually(async () => {
      expect(await binding()).toBeUndefined();
    });
    // The deletion of a copy is not proven by objects of somebody else's CRD.
    expect(await on(provider, 'one')).toBeDefined();
    expect((await on(consumer, 'one'))?.metadata).not.toHaveProperty('finalizers');
    expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toBeDefined();
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
    const held = async (): Promise<readonly string[]> =>
      (await metrics.expose()).body
        .split('\n')
        .filter((line) => line.startsWith(`hawser_konnector_schema_updates_held{binding="ClusterBinding ${plural}"`));
    expect(await held()).toEqual([expect.stringMatching(/reason="BreakingSchemaChange"\} 1$/u)]);
    await consumer.delete(resources.clusterBindings, { name: plural });
    await eventually(async () => {
      expect(await held()).toEqual([]);
    });
  });

  it('follow a provider that serves a second version, stores it, and drops the first', async () => {
    await offer();
    await bind();
    await becomes(works);
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    const crdOn = (client: Client): Promise<CustomResourceDefinition> =>
      client.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
    const [first] = (await crdOn(provider)).spec.versions;
    const serve = async (...versions: readonly object[]): Promise<void> => {
      const patch = { spec: { versions: versions.map((version) => ({ ...first, ...version })) } };
      await provider.patch(customResourceDefinitions, { name: api() }, { type: 'merge', patch });
    };
    const has = (...expected: readonly string[]): Promise<void> =>
      eventually(async () => {
        const { spec } = await crdOn(consumer);
        expect(spec.versions.map(({ name, storage }) => (storage ? `${name} stored` : name))).toEqual(expected);
      });
    /** Lets the change through that the condition tells of. */
    const approve = async (words: string): Promise<void> => {
      const message = await eventually(async () => {
        const condition = (await binding())?.status?.conditions?.find(({ type }) => type === 'SchemaInSync');
        expect(condition?.reason).toBe('BreakingSchemaChange');
        expect(condition?.message).toContain(words);
        return condition?.message ?? '';
      });
      const hash = /schema-approved=([^\s.]+)/u.exec(message)?.[1] ?? '';
      const patch = { metadata: { annotations: { 'hawser.dev/schema-approved': hash } } };
      await consumer.patch(resources.clusterBindings, { name: plural }, { type: 'merge', patch });
    };
    await serve({ name: 'v1', storage: true }, { name: 'v2', storage: false });
    await has('v1 stored', 'v2');
    await serve({ name: 'v1', storage: false }, { name: 'v2', storage: true });
    // Until a person lets it, the version in which objects are stored here stays.
    await approve('stored as v2');
    await has('v1', 'v2 stored');
    await becomes(works);
    await consumer.create({ ...resource(), version: 'v2' }, { ...object('two'), apiVersion: 'example.org/v2' });
    await eventually(async () => {
      expect(await on(provider, 'two')).toMatchObject({ spec: { size: 'small' } });
    });
    // The provider stores its objects anew. Here they are still stored as v1, so that v1 stays until they are rewritten.
    await provider.patch(
      resource(),
      { namespace: 'team', name: 'one' },
      { type: 'merge', patch: { metadata: { labels: { stored: 'anew' } } } },
    );
    const status = { storedVersions: ['v2'] };
    await provider.patch(
      customResourceDefinitions,
      { name: api() },
      { type: 'merge', patch: { status } },
      { subresource: 'status' },
    );
    await serve({ name: 'v2', storage: true });
    await eventually(async () => {
      expect((await crdOn(provider)).spec.versions).toHaveLength(1);
    });
    await becomes({ Ready: 'True AsExpected', Synced: 'True AsExpected' });
    await has('v2 stored', 'v1');

    const migration = await runController(
      createStoredVersions({
        dialect: kubeBindDialect,
        settleMs: 0,
        isBound: (crd) => connectionOf(crd) === 'demo',
      }),
      { consumer },
    );
    try {
      await eventually(async () => {
        expect((await crdOn(consumer)).status?.storedVersions).toEqual(['v2']);
      });
    } finally {
      await migration.stop();
    }
    // Who still uses v1 here would break.
    await approve('v1: the version is no longer there');
    await has('v2 stored');
    await becomes({ ...works, SchemaInSync: 'True AsExpected' });
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
      const condition = (await binding())?.status?.conditions?.find(({ type }) => type === 'Ready');
      expect(condition).toMatchObject({ status: 'False', reason: 'APINotExported' });
    });
    expect((await binding())?.spec.apis).toContainEqual({ name: api() });
    expect(await on(consumer, 'one')).toBeDefined();
    const labelled = { metadata: { labels: { [labels.exported]: 'true' } } };
    await provider.patch(customResourceDefinitions, { name: api() }, { type: 'merge', patch: labelled });
    await disconnect();
    expect(await binding()).toBeUndefined();
    expect(await on(provider, 'one')).toBeUndefined();
  });

  it('delete nothing of an API that was taken out of their list just before', async () => {
    await offer();
    await bind();
    await becomes(works);
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    const stale = (await binding())?.status?.boundAPIs;
    await stop();
    const key = { name: plural };
    const apis = [{ name: 'others.example.org' }];
    await consumer.patch(resources.clusterBindings, key, { type: 'merge', patch: { spec: { apis } } });
    await consumer.delete(resources.clusterBindings, key);
    expect((await binding())?.status?.boundAPIs).toEqual(stale);
    await start();
    await eventually(async () => {
      expect(await binding()).toBeUndefined();
    });
    const crd = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
    expect(crd.metadata.deletionTimestamp).toBeUndefined();
    expect((await on(consumer, 'one'))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await on(consumer, 'one'))?.metadata.finalizers ?? []).toEqual([]);
    expect(await on(provider, 'one')).toBeDefined();
  });

  it('work with a provider that describes its APIs by OpenAPI alone', async () => {
    await offer('Namespaced', 'false');
    await connectAlso({ schema: { source: 'OpenAPI' } });
    await eventually(async () => {
      const found = await consumer.get<Connection>(resources.connections, { name: plural });
      expect(found.status).toMatchObject({ activeSchemaSource: 'OpenAPI' });
      expect(found.status?.exportedAPIs).toContainEqual({
        name: api(),
        group: 'example.org',
        resource: plural,
        scope: 'Namespaced',
        versions: ['v1'],
      });
      // What belongs to Kubernetes, or steers a konnector, is not offered.
      expect(found.status?.exportedAPIs?.filter(({ group }) => group !== 'example.org')).toEqual([]);
    });
    await bind({ connectionRef: { name: plural } });
    await becomes(works);
    const { spec } = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
    expect(spec.versions).toMatchObject([
      {
        name: 'v1',
        schema: { openAPIV3Schema: { properties: { spec: { properties: { size: { type: 'string' } } } } } },
        subresources: { status: {} },
      },
    ]);
    await consumer.create(resource(), object('one'));
    await eventually(async () => {
      expect(await on(provider, 'one')).toMatchObject({ spec: { size: 'small' } });
    });
    await consumer.delete(resources.clusterBindings, { name: plural });
    await disconnect();
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
    const apisInstalled = async () =>
      (await consumer.get<Connection>(resources.connections, { name: plural })).status?.conditions?.find(
        ({ type }) => type === 'APIsInstalled',
      );
    await eventually(async () => {
      // Those of other tests belong to another Connection.
      expect(await apisInstalled()).toMatchObject({ message: expect.not.stringContaining(api()) });
    });

    // What the provider withdraws may come back: the CRD stays, with all objects.
    const exported = (value: string | null): Promise<unknown> =>
      provider.patch(
        customResourceDefinitions,
        { name: api() },
        { type: 'merge', patch: { metadata: { labels: { [labels.exported]: value } } } },
      );
    await exported(null);
    await eventually(async () => {
      expect(await apisInstalled()).toMatchObject({ message: expect.stringContaining(api()) });
    });
    await exported('true');
    await eventually(async () => {
      expect(await apisInstalled()).toMatchObject({ message: expect.not.stringContaining(api()) });
    });
    await consumer.patch(
      resources.connections,
      { name: plural },
      { type: 'merge', patch: { spec: { schema: { pullPolicy: 'Bound' } } } },
    );
    await eventually(async () => {
      expect(await apisInstalled()).toMatchObject({
        status: 'Unknown',
        reason: 'SwitchedOff',
        message: expect.stringContaining(`kubectl delete crd ${api()}`),
      });
    });
    await bind({ connectionRef: { name: plural } });
    await eventually(async () => {
      expect(await apisInstalled()).toMatchObject({
        reason: 'SwitchedOff',
        message: expect.not.stringContaining(api()),
      });
    });
    await consumer.delete(resources.clusterBindings, { name: plural });
    await eventually(async () => {
      expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toBeUndefined();
    });
    await disconnect();
  });

  it('leave what was pulled where its Connection goes, and another Connection takes it over', async () => {
    await offer();
    await labelOnly();
    await connectAlso({ schema: { source: 'CRD', pullPolicy: 'All' } });
    await eventually(async () => {
      await consumer.create(resource(), object('one'));
    });
    await disconnect();
    expect(await on(consumer, 'one')).toBeDefined();
    await bind();
    await becomes(works);
    await eventually(async () => {
      expect(await on(provider, 'one')).toBeDefined();
    });
    const crd = await consumer.get<CustomResourceDefinition>(customResourceDefinitions, { name: api() });
    expect(connectionOf(crd)).toBe('demo');
  });
});
