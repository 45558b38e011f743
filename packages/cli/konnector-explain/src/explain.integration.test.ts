import { type Client, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import { crdOf } from '@hawser/installation';
import { type CustomResourceDefinition, fixedNames, formatTime, resources, kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import {
  type KonnectorPair,
  openKonnectorPair,
  version,
} from '../../../konnector/konnector-connection/src/testing/konnector-pair.js';
import {
  type BindingReport,
  type ExplainContext,
  type ExplainOptions,
  explain,
  planJson,
  planText,
  stepsOf,
  treeText,
  whyAllText,
} from './index.js';

const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });

describeWithControlPlane('explain', () => {
  let pair: KonnectorPair;
  let name: string;
  let namespace: string;
  let clients: Client[];
  const zones = (): Resource => ({ group: pair.group, version: 'v1', resource: 'zones' });
  const databases = (): Resource => ({ group: pair.group, version: 'v1', resource: 'databases' });

  beforeEach(async () => {
    pair = await openKonnectorPair();
    clients = [];
    name = `explain-${pair.clusterNamespace}`;
    namespace = uniqueNamespace('team');
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });
  afterEach(async () => {
    await pair.close();
    await Promise.all(clients.map((client) => client.close()));
  });

  const context = (): ExplainContext => ({
    dialect: kubeBindDialect,
    consumer: pair.consumer,
    policy: {},
    now: () => Date.now(),
    signal: new AbortController().signal,
    connect(connection) {
      const client = createClient({ name: 'provider', connection });
      clients.push(client);
      return client;
    },
  });
  const look = async (options: Partial<ExplainOptions> = {}): Promise<BindingReport> => {
    const [report] = await explain(context(), { dryRun: false, binding: name, objects: 'all', ...options });
    return report!;
  };
  const writes = (report: BindingReport): readonly string[] =>
    stepsOf([report]).map(
      ({ side, verb, resource, key, subresource }) =>
        `${verb} ${resource.resource}${subresource === undefined ? '' : `/${subresource}`} ${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name} ${side}`,
    );

  async function offer(
    plural: 'zones' | 'databases',
    serverSchema: Readonly<Record<string, unknown>> = { type: 'string' },
  ): Promise<void> {
    const scope = plural === 'zones' ? 'Cluster' : 'Namespaced';
    await pair.provider.create(
      resources.customResourceDefinitions,
      crdOf(
        { group: pair.group, plural, kind: plural === 'zones' ? 'Zone' : 'Database', scope },
        {
          properties: {
            spec: { type: 'object', properties: { size: serverSchema } },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ),
    );
    await eventually(() => pair.provider.list({ group: pair.group, version: 'v1', resource: plural }));
    await pair.createSchema(plural, { scope });
    await pair.createExport(name, [plural]);
    const role = `objects-${pair.clusterNamespace}`;
    await pair.provider.patch(
      rbac('clusterroles'),
      { name: role },
      {
        type: 'apply',
        object: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: role },
          rules: [{ apiGroups: [pair.group], resources: [plural], verbs: ['*'] }],
        },
        force: true,
      },
      { fieldManager: 'test' },
    );
    await pair.provider.patch(
      rbac('clusterrolebindings'),
      { name: role },
      {
        type: 'apply',
        object: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: role },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
          subjects: [{ kind: 'ServiceAccount', namespace: pair.clusterNamespace, name: 'kube-binder' }],
        },
        force: true,
      },
      { fieldManager: 'test' },
    );
    await pair.provider.create(resources.clusterBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: { name: fixedNames.clusterBinding, namespace: pair.clusterNamespace },
      spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    } as never);
  }
  async function beat(): Promise<void> {
    await pair.provider.patch(
      resources.clusterBindings,
      { namespace: pair.clusterNamespace, name: fixedNames.clusterBinding },
      { type: 'merge', patch: { status: { lastHeartbeatTime: formatTime(Date.now()), heartbeatInterval: '5m0s' } } },
      { subresource: 'status' },
    );
  }
  async function bind(): Promise<void> {
    await pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace: pair.secretNamespace },
      data: { kubeconfig: Buffer.from(pair.access.kubeconfig).toString('base64') },
    } as never);
    await pair.createBinding(name);
  }
  /** What the plan says about CRDs is done by hand. */
  async function installCrds(): Promise<void> {
    const crd = (await look({ objects: 'none' })).writes.find(
      ({ resource }) => resource.resource === 'customresourcedefinitions',
    )?.after as CustomResourceDefinition | undefined;
    const metadata = { name: crd!.metadata.name, ownerReferences: crd!.metadata.ownerReferences };
    await pair.consumer.create(resources.customResourceDefinitions, { ...crd, metadata } as never);
    await eventually(async () => {
      const live = await pair.consumer.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: metadata.name,
      });
      expect(live.status?.conditions?.find(({ type }) => type === 'Established')?.status).toBe('True');
    });
  }
  const zone = (object: string, spec: unknown = { size: 'small' }): UnstructuredObject => ({
    apiVersion: `${pair.group}/v1`,
    kind: 'Zone',
    metadata: { name: object },
    spec,
  });

  it('says that a changed schema waits, why, and how it is let through; it plans no write of the CRD', async () => {
    await offer('zones');
    await bind();
    await installCrds();
    await beat();
    const at = { namespace: pair.clusterNamespace, name: `zones.${pair.group}` };
    const change = (properties: Readonly<Record<string, unknown>>): Promise<unknown> =>
      pair.provider.patch(resources.boundSchemas, at, {
        type: 'merge',
        patch: { spec: { versions: [version(properties)] } },
      });
    await change({ spec: { type: 'object', properties: {} } });
    const held = await look({ objects: 'none' });
    expect(held.findings).toMatchObject([
      {
        reason: 'BreakingSchemaChange',
        actor: 'operator',
        message: expect.stringMatching(/size.*hawser\.dev\/schema-approved=[0-9a-f]{64}/su),
      },
    ]);
    expect(writes(held)).toEqual([`patch apiservicebindings/status ${name} consumer`]);
    for (const text of [planText([held], { values: false }), treeText([held], Date.now()), whyAllText([held])])
      expect(text).toContain('BreakingSchemaChange');
    await change({ spec: { type: 'object', properties: { size: { type: 'string' }, color: { type: 'string' } } } });
    const flows = await look({ objects: 'none' });
    expect(flows.findings).toEqual([]);
    expect(writes(flows)).toContain(`patch customresourcedefinitions zones.${pair.group} consumer`);
  });

  it('says what a konnector that starts would do, and does none of it', async () => {
    await offer('zones');
    await bind();
    expect(writes(await look())).toEqual([
      `create customresourcedefinitions zones.${pair.group} consumer`,
      `patch apiservicebindings/status ${name} consumer`,
    ]);
    expect(await pair.crd('zones')).toBeUndefined();
    await installCrds();
    await beat();
    await eventually(() => pair.consumer.create(zones(), zone('one')));

    const report = await look();
    const copy = `${pair.clusterNamespace}-one`;
    expect(writes(report)).toEqual([
      `patch apiservicebindings/status ${name} consumer`,
      'patch zones one consumer',
      `create zones ${copy} provider`,
      'patch zones one consumer',
    ]);
    expect(report.resources[0]).toMatchObject({
      standing: 'underWay',
      isolation: 'Prefixed',
      objects: [{ object: 'one', standing: 'underWay', finding: { reason: 'UnderWay', actor: 'nobody' } }],
    });
    expect(planText([report], { values: true })).toContain('  + spec.size: "small"');
    expect((JSON.parse(planJson([report])) as { writes: unknown[] }).writes).toHaveLength(4);
    // As the server would have it: the same, and nothing is there afterwards.
    expect(writes(await look({ dryRun: true }))).toEqual(writes(report));
    expect(await pair.find(pair.provider, zones(), { name: copy })).toBeUndefined();
    expect((await pair.consumer.get(zones(), { name: 'one' })).metadata.finalizers).toBeUndefined();
    expect((await pair.binding(name)).status).toBeUndefined();
  });

  it('tells what holds an object, and who must act', async () => {
    await offer('zones', { type: 'string', enum: ['small'] });
    await bind();
    await installCrds();
    await beat();
    await eventually(() => pair.consumer.create(zones(), zone('refused', { size: 'huge' })));
    await pair.consumer.create(zones(), zone('taken'));
    await pair.consumer.create(zones(), zone('fine'));
    await pair.provider.create(zones(), { ...zone(`${pair.clusterNamespace}-taken`) });
    await pair.provider.create(zones(), {
      ...zone(`${pair.clusterNamespace}-left`),
      metadata: {
        name: `${pair.clusterNamespace}-left`,
        annotations: { 'kube-bind.io/cluster-namespace': pair.clusterNamespace, 'kube-bind.io/consumer-namespace': '' },
      },
    });

    const report = await look({ dryRun: true });
    const objects = Object.fromEntries(report.resources[0]!.objects.map((object) => [object.object, object]));
    expect(objects['refused']).toMatchObject({
      standing: 'held',
      finding: {
        reason: 'RejectedByProvider',
        actor: 'consumer',
        message: expect.stringMatching(
          /Unsupported value.*Next try: within 5 min, or at once when the object changes\.$/u,
        ),
      },
    });
    expect(objects['taken']).toMatchObject({ standing: 'held', finding: { reason: 'ForeignCopy', actor: 'consumer' } });
    expect(objects['left']).toMatchObject({ standing: 'held', finding: { reason: 'Orphaned', actor: 'consumer' } });
    expect(objects['fine']).toMatchObject({ standing: 'underWay' });
    expect(whyAllText([report])).toMatch(/Zone refused +RejectedByProvider +consumer/u);
    expect(treeText([report], Date.now())).toMatch(
      /resource zones\.\S+ v1, Prefixed {2}\[!\] {2}1 under way, 3 held \(/u,
    );

    const held = {
      type: 'SchemaUpdateHeld',
      status: 'True',
      reason: 'BreakingSchemaChange',
      message: `zones.${pair.group}: spec.size may only be small.`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await pair.provider.patch(
      resources.apiServiceExports,
      { namespace: pair.clusterNamespace, name },
      { type: 'merge', patch: { status: { conditions: [held] } } },
      { subresource: 'status' },
    );
    const [refused] = (await look({ dryRun: true })).resources[0]!.objects.filter(({ object }) => object === 'refused');
    expect(refused).toMatchObject({
      standing: 'held',
      finding: {
        reason: 'SchemaChangeHeld',
        actor: 'provider',
        message: expect.stringContaining('spec.size may only be small'),
        remedy: expect.stringMatching(/take it back/u),
      },
    });
  });

  it('does not take an Event for what holds, where the provider accepts by now what it has refused, and says when that is tried', async () => {
    await offer('zones');
    await bind();
    await installCrds();
    await beat();
    const {
      metadata: { uid },
    } = await eventually(() => pair.consumer.create(zones(), zone('one')));
    const at = formatTime(Date.now() - 20_000);
    const event = {
      reason: 'ForbiddenByProvider',
      message: 'Cannot create zones on the provider: no.',
      type: 'Warning',
      firstTimestamp: at,
      lastTimestamp: at,
      involvedObject: { apiVersion: `${pair.group}/v1`, kind: 'Zone', name: 'one', uid },
    };
    await pair.consumer.create(resources.events, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `one-${pair.clusterNamespace}`, namespace: 'default' },
      ...event,
    });
    expect((await look({ dryRun: true })).resources[0]?.objects[0]).toMatchObject({
      standing: 'underWay',
      finding: {
        reason: 'UnderWay',
        actor: 'nobody',
        message: expect.stringMatching(
          /accepts by now.*Next try: within (?:2[5-9]|30) s\..*ForbiddenByProvider: Cannot create zones/u,
        ),
      },
    });
    // Without asking, the Event is all that is known.
    expect((await look()).resources[0]?.objects[0]).toMatchObject({
      standing: 'held',
      finding: {
        reason: 'ForbiddenByProvider',
        message: expect.stringMatching(
          /last Event.*Next try: within [2-5][0-9] s, or within 30 s after the right is granted\.$/u,
        ),
      },
    });
  });

  it('tells that nobody works where there is no heartbeat', async () => {
    await offer('zones');
    await bind();
    await installCrds();
    await eventually(() => pair.consumer.create(zones(), zone('one')));
    expect((await look()).resources[0]?.objects[0]).toMatchObject({
      standing: 'held',
      finding: { reason: 'KonnectorSilent', actor: 'operator' },
    });
  });

  it('waits for a namespace as a konnector does', async () => {
    await offer('databases');
    await bind();
    await installCrds();
    await beat();
    await eventually(() =>
      pair.consumer.create(databases(), {
        apiVersion: `${pair.group}/v1`,
        kind: 'Database',
        metadata: { name: 'one', namespace },
        spec: {},
      } as never),
    );
    expect(writes(await look())).toContain(
      `create apiservicenamespaces ${pair.clusterNamespace}/${namespace} provider`,
    );

    const providerNamespace = uniqueNamespace('service');
    await pair.provider.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: providerNamespace },
    });
    const request = { namespace: pair.clusterNamespace, name: namespace };
    await pair.provider.create(resources.apiServiceNamespaces, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: request,
      spec: {},
    } as never);
    expect((await look()).resources[0]?.objects[0]).toMatchObject({ standing: 'underWay', writes: [] });
    await pair.provider.patch(
      resources.apiServiceNamespaces,
      request,
      { type: 'merge', patch: { status: { namespace: providerNamespace } } },
      { subresource: 'status' },
    );
    expect(writes(await look({ dryRun: true }))).toContain(`create databases ${providerNamespace}/one provider`);
  });

  it('says of a binding what its konnector would say', async () => {
    await pair.createBinding(name);
    expect((await look()).findings).toMatchObject([{ reason: 'KubeconfigSecretNotFound', actor: 'consumer' }]);
    await bindSecretOnly();
    const [first] = (await look()).findings;
    expect(first).toMatchObject({ reason: 'APIServiceExportNotFound', actor: 'consumer' });

    async function bindSecretOnly(): Promise<void> {
      await pair.consumer.create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'kubeconfig', namespace: pair.secretNamespace },
        data: { kubeconfig: Buffer.from(pair.access.kubeconfig).toString('base64') },
      } as never);
    }
  });

  it('knows that a binding is bound to another cluster, and plans nothing for it', async () => {
    await offer('zones');
    await bind();
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/provider-identity': 'another' } } } },
    );
    const report = await look();
    expect(report).toMatchObject({
      standing: 'held',
      resources: [],
      findings: [{ reason: 'ProviderIdentityChanged', actor: 'operator' }],
    });
    expect(writes(report)).toEqual([`patch apiservicebindings/status ${name} consumer`]);
  });

  it('does not need the provider to answer', async () => {
    const unreachable = pair.access.kubeconfig.replace(/server: \S+/u, 'server: https://127.0.0.1:1');
    await pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace: pair.secretNamespace },
      data: { kubeconfig: Buffer.from(unreachable).toString('base64') },
    } as never);
    await pair.createBinding(name);
    const report = await look();
    expect(report).toMatchObject({ standing: 'held', resources: [], findings: [{ reason: 'InformerSyncFailed' }] });
    expect(treeText([report], Date.now())).toContain('InformerSyncFailed');
  });
});
