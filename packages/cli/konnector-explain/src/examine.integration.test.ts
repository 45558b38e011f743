import { type Client, createClient } from '@hawser/client';
import { crdOf } from '@hawser/installation';
import { type CustomResourceDefinition, fixedNames, formatTime, resources, kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import {
  type KonnectorPair,
  binderRules,
  openKonnectorPair,
} from '../../../konnector/konnector-connection/src/testing/konnector-pair.js';
import { type Area, type Examination, type ExplainContext, examine, explain, isHealthy } from './index.js';

describeWithControlPlane('examine', () => {
  let pair: KonnectorPair;
  let name: string;
  let clients: Client[];

  beforeEach(async () => {
    pair = await openKonnectorPair();
    clients = [];
    name = `examine-${pair.clusterNamespace}`;
    await pair.provider.create(
      resources.customResourceDefinitions,
      crdOf(
        { group: pair.group, plural: 'zones', kind: 'Zone', scope: 'Cluster' },
        { properties: { spec: { type: 'object' } } },
      ),
    );
    await pair.createSchema('zones', { scope: 'Cluster' });
    await pair.createExport(name, ['zones']);
    await pair.provider.create(resources.clusterBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: { name: fixedNames.clusterBinding, namespace: pair.clusterNamespace },
      spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    } as never);
    await pair.provider.patch(
      resources.clusterBindings,
      { namespace: pair.clusterNamespace, name: fixedNames.clusterBinding },
      { type: 'merge', patch: { status: { lastHeartbeatTime: formatTime(Date.now()), heartbeatInterval: '5m0s' } } },
      { subresource: 'status' },
    );
    await pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace: pair.secretNamespace },
      data: { kubeconfig: Buffer.from(pair.access.kubeconfig).toString('base64') },
    } as never);
    await pair.createBinding(name);
  });
  afterEach(async () => {
    await pair.close();
    await Promise.all(clients.map((client) => client.close()));
  });

  const context = (now = (): number => Date.now()): ExplainContext => ({
    dialect: kubeBindDialect,
    consumer: pair.consumer,
    policy: {},
    now,
    signal: new AbortController().signal,
    connect(connection) {
      const client = createClient({ name: 'provider', connection });
      clients.push(client);
      return client;
    },
  });
  const look = async (given: ExplainContext = context()): Promise<(area: Area) => readonly Examination[]> => {
    const examinations = await examine(given, { binding: name, namespace: fixedNames.konnectorNamespace });
    return (area) => examinations.filter((one) => one.area === area);
  };

  it('finds Secret, connection, clocks and versions in order', async () => {
    const found = await look();
    for (const area of ['secret', 'connection', 'clock', 'version'] as const)
      expect(found(area).map(({ state }) => state)).not.toContain('failed');
    expect(found('secret')).toMatchObject([{ state: 'ok' }]);
    expect(found('connection')).toMatchObject([{ state: 'ok' }]);
    expect(found('clock')).toMatchObject([{ subject: 'consumer', state: 'ok' }, { state: 'ok' }]);
  });

  it('tells that a binding is bound to another cluster, and who accepts that', async () => {
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/provider-identity': 'another' } } } },
    );
    const found = await look();
    expect(found('connection')).toMatchObject([
      { state: 'failed', actor: 'operator', message: expect.stringContaining('ProviderIdentityChanged: ') },
    ]);
    expect(isHealthy(found('connection'))).toBe(false);
  });

  it('tells what the konnector has said of the connection, though nothing is wrong from outside', async () => {
    const conditions = [
      {
        type: 'Heartbeating',
        status: 'False',
        severity: 'Warning',
        reason: 'ClusterBindingUpdateFailed',
        message: 'the provider refuses it',
        lastTransitionTime: formatTime(Date.now()),
      },
    ];
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { status: { conditions } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect((await look())('connection')).toMatchObject([
        { state: 'failed', message: 'ClusterBindingUpdateFailed: the provider refuses it' },
      ]);
    });
  });

  it('says of a Secret without a kubeconfig what the condition says, and calls no object in step that it could not look at', async () => {
    await pair.consumer.patch(
      resources.secrets,
      { namespace: pair.secretNamespace, name: 'kubeconfig' },
      { type: 'merge', patch: { data: { kubeconfig: Buffer.from('garbage').toString('base64') } } },
    );
    const found = await look();
    const [report] = await explain(context(), { dryRun: false, binding: name, objects: 'none' });
    const [finding] = report?.findings ?? [];
    expect(found('secret')).toMatchObject([
      {
        state: 'failed',
        message: `${finding?.reason}: ${finding?.message}`,
        actor: finding?.actor,
        remedy: finding?.remedy,
      },
    ]);
    expect(finding?.reason).toBe('KubeconfigSecretInvalid');
    expect(found('objects')).toMatchObject([{ state: 'unknown' }]);
  });

  it('tells once that the provider has withdrawn the export, and that objects wait for it', async () => {
    await pair.provider.patch(
      resources.apiServiceExports,
      { namespace: pair.clusterNamespace, name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/withdrawn': 'RequestDeleted' } } } },
    );
    const found = await look();
    expect(found('provider').filter(({ state }) => state === 'failed')).toMatchObject([
      { actor: 'consumer', remedy: expect.stringContaining('hawser bind') },
    ]);
    expect(found('objects')).toMatchObject([{ state: 'unknown', message: expect.stringContaining('ExportWithdrawn') }]);
    expect(found('schema').filter(({ message }) => message.includes('withdrawn'))).toEqual([]);
  });

  it('tells one missing ClusterRole once, with the cure', async () => {
    const [planned] = await explain(context(), { dryRun: false, binding: name, objects: 'none' });
    const crd = planned?.writes.find(({ resource }) => resource.resource === 'customresourcedefinitions')?.after as
      CustomResourceDefinition | undefined;
    await pair.consumer.create(resources.customResourceDefinitions, {
      ...crd,
      metadata: { name: crd?.metadata.name, ownerReferences: crd?.metadata.ownerReferences },
    } as never);
    await eventually(async () => {
      expect((await explain(context(), { dryRun: false, binding: name, objects: 'all' }))[0]?.resources).toMatchObject([
        { finding: { reason: 'ForbiddenByProvider' } },
      ]);
    });
    const failed = (examinations: readonly Examination[]): readonly Examination[] =>
      examinations.filter(
        ({ area, state, message }) =>
          state === 'failed' &&
          ['rights', 'schema', 'objects', 'provider'].includes(area) &&
          !/may not: (?!.*zones)/u.test(message),
      );
    const options = { binding: name, namespace: fixedNames.konnectorNamespace };
    // No provider role of Hawser has spoken: the rights are compared.
    const failures = failed(await examine(context(), options));
    expect(failures).toMatchObject([
      {
        area: 'rights',
        actor: 'provider',
        remedy: expect.stringContaining('hawser rbac --roles provider | kubectl apply -f -'),
      },
    ]);
    // In the words of `why`, and so of the condition.
    const [why] = await explain(context(), { dryRun: false, binding: name, objects: 'all' });
    expect(failures[0]?.message).toContain(why?.resources[0]?.finding?.message);
    const conditions = [
      {
        type: 'RightsGranted',
        status: 'False',
        severity: 'Warning',
        reason: 'ConsumerRoleMissing',
        message: 'ClusterRole "zones" does not exist.',
        lastTransitionTime: formatTime(Date.now()),
      },
    ];
    await pair.provider.patch(
      resources.apiServiceExports,
      { namespace: pair.clusterNamespace, name },
      { type: 'merge', patch: { status: { conditions } } },
      { subresource: 'status' },
    );
    const examinations = await examine(context(), options);
    expect(failed(examinations)).toMatchObject([
      {
        area: 'provider',
        actor: 'provider',
        message: expect.stringContaining('ConsumerRoleMissing: '),
        remedy: expect.stringContaining('hawser rbac --roles provider | kubectl apply -f -'),
      },
    ]);
    expect(isHealthy(examinations)).toBe(false);
  });

  it('sees a clock that is wrong', async () => {
    const found = await look(context(() => Date.now() + 60_000));
    expect(found('clock')).toMatchObject([
      { state: 'failed', actor: 'operator' },
      { state: 'failed', actor: 'provider', message: expect.stringMatching(/differs by (?:59|60|61) s/u) },
    ]);
  });

  it('does not call a right missing twice', async () => {
    const second = `${name}-2`;
    await pair.createExport(second, ['zones']);
    await pair.createBinding(second);
    await pair.grant(binderRules.filter(({ resources: [first] }) => first !== 'boundschemas/status'));
    await eventually(async () => {
      const examinations = await examine(context(), { namespace: fixedNames.konnectorNamespace });
      const [provider] = examinations.filter(
        ({ area, subject }) => area === 'rights' && subject.startsWith('provider'),
      );
      expect(provider?.message.split('patch boundschemas/status.kube-bind.io')).toHaveLength(2);
    });
  });
});
