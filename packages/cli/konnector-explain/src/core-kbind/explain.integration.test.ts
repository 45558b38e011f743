import { type Client, type KubeObject, type Resource, createClient, getIfExists } from '@hawser/client';
import { labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { createBindingController } from '@hawser/kbind-binding';
import { createConnectionController } from '@hawser/kbind-connection';
import { kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, type RunningController, runController } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../../../konnector/kbind-connection/src/testing/kbind-clusters.js';
import {
  type BindingReport,
  type ExplainContext,
  type ExplainOptions,
  examine,
  explain,
  explainRights,
  notInStep,
  planText,
  rbacText,
  stepsOf,
  treeText,
} from '../index.js';

describeWithControlPlane('explain, of core.kbind.io', () => {
  let clusters: KbindClusters;
  let consumer: Client;
  let provider: Client;
  let running: RunningController[] = [];
  let clients: Client[] = [];
  let number = 0;
  let plural: string;

  beforeAll(async () => {
    clusters = await openKbindClusters(['team']);
    ({ consumer, provider } = clusters);
    await provider.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  });
  afterAll(() => clusters.close());
  beforeEach(() => {
    plural = `widgets${++number}`;
  });
  afterEach(async () => {
    await start();
    for (const resource of [resources.clusterBindings, resources.connections])
      for (const { metadata } of (await consumer.list(resource)).items) await consumer.delete(resource, metadata);
    await eventually(async () => {
      expect((await consumer.list(resources.connections)).items).toEqual([]);
    });
    await stop();
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });

  const namespaces: Resource = { group: '', version: 'v1', resource: 'namespaces' };
  const resource = (): Resource => ({ group: 'example.org', version: 'v1', resource: plural });
  const api = (): string => `${plural}.example.org`;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

  async function start(): Promise<void> {
    if (running.length > 0) return;
    const connections = createConnectionController({ open: openProvider });
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  }
  async function stop(): Promise<void> {
    for (const one of running) await one.stop();
    running = [];
  }

  async function offer(): Promise<void> {
    const crd = crdOf(
      { group: 'example.org', plural, kind: `Widget${number}`, scope: 'Namespaced' },
      { properties: { spec: open, status: open }, statusSubresource: true },
    );
    const metadata = { ...crd.metadata, labels: { [labels.exported]: 'true' } };
    await provider.create(customResourceDefinitions, { ...crd, metadata });
  }

  async function bind(): Promise<void> {
    await clusters.putSecret(plural);
    await clusters.connect(plural);
    await consumer.create(resources.clusterBindings, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'ClusterBinding',
      metadata: { name: plural },
      spec: { connectionRef: { name: plural }, apis: [{ name: api() }] },
    } as KubeObject);
  }

  const widget = (size: string): KubeObject =>
    ({
      apiVersion: 'example.org/v1',
      kind: `Widget${number}`,
      metadata: { name: 'one', namespace: 'team' },
      spec: { size },
    }) as KubeObject;

  async function inStep(): Promise<void> {
    await eventually(() => consumer.list(resource()));
    await consumer.create(resource(), widget('small'));
    await eventually(async () => {
      expect(await getIfExists(provider, resource(), { namespace: 'team', name: 'one' })).toBeDefined();
      expect((await look()).map(({ standing }) => standing)).toEqual(['inStep', 'inStep']);
    });
  }

  const context = (): ExplainContext => ({
    dialect: kubeBindDialect,
    coreKbind: 'only',
    consumer,
    policy: {},
    now: () => Date.now(),
    signal: new AbortController().signal,
    connect(connection) {
      const client = createClient({ name: 'provider', connection });
      clients.push(client);
      return client;
    },
  });
  const look = (options: Partial<ExplainOptions> = {}): Promise<readonly BindingReport[]> =>
    explain(context(), { dryRun: false, objects: 'all', ...options });
  const findingLines = (reports: readonly BindingReport[]): readonly string[] =>
    notInStep(reports).map(({ name, finding }) => `${name}: ${finding?.reason ?? ''}, ${finding?.actor ?? ''}`);
  const steps = (reports: readonly BindingReport[]): readonly string[] =>
    stepsOf(reports).map(
      ({ side, verb, resource: { resource: of }, subresource, key: { namespace, name } }) =>
        `${verb} ${of}${subresource === undefined ? '' : `/${subresource}`} ${namespace === undefined ? '' : `${namespace}/`}${name} ${side}`,
    );

  it('shows all that a konnector would do about new bindings, and does none of it', async () => {
    await offer();
    await bind();
    const mark = await clusters.planes.consumer.auditLog().mark();
    const reports = await look();
    expect(steps(reports)).toEqual([
      `patch connections ${plural} consumer`,
      `patch secrets kbind/${plural} consumer`,
      `patch connections/status ${plural} consumer`,
      `patch clusterbindings ${plural} consumer`,
      `create customresourcedefinitions ${api()} consumer`,
    ]);
    expect(findingLines(reports)).toEqual([`Connection ${plural}: KonnectorSilent, operator`]);
    expect(planText(reports, { values: true })).not.toContain('certificate-authority');
    expect(await clusters.planes.consumer.auditLog().writes({ since: mark })).toEqual([]);
    expect(await getIfExists(consumer, customResourceDefinitions, { name: api() })).toBeUndefined();
  });

  it('says that everything is in step, and what would be written when something changes', async () => {
    await offer();
    await bind();
    await start();
    await inStep();
    expect(treeText(await look(), Date.now())).toMatch(
      new RegExp(`^provider https://.*, Connection ${plural} .*\\n└─ ClusterBinding ${plural} .*\\n.*1 in step`, 'su'),
    );
    await stop();
    await consumer.patch(
      resource(),
      { namespace: 'team', name: 'one' },
      { type: 'merge', patch: { spec: { size: 'large' } } },
    );
    const reports = await look();
    expect(steps(reports)).toEqual([`patch ${plural} team/one provider`]);
    expect(findingLines(reports)).toEqual([`Widget${number} team/one: UnderWay, nobody`]);
    expect(await provider.get(resource(), { namespace: 'team', name: 'one' })).toMatchObject({
      spec: { size: 'small' },
    });
    const examinations = await examine(context(), { namespace: 'kbind' });
    expect(examinations.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(examinations.map(({ area, subject }) => `${area} ${subject.replace(/https:\/\/[^,]*/u, 'URL')}`)).toEqual([
      `secret Secret kbind/${plural}`,
      `connection Connection ${plural}`,
      'clock consumer',
      `clock provider URL, Connection ${plural}`,
      'version consumer',
      `version provider URL, Connection ${plural}`,
      'rights consumer',
      `rights provider URL, Connection ${plural}`,
      `schema ClusterBinding ${plural}`,
      `objects ClusterBinding ${plural}`,
    ]);
    const rights = await explainRights(context(), { namespace: 'kbind' });
    expect(rbacText(rights)).toContain(`name: hawser-clusterbinding-${plural}`);
    const [one] = await look({ kinds: ['ClusterBinding'], objects: () => 'team/one' });
    expect(one?.resources[0]?.objects.map(({ object, copy }) => [object, copy])).toEqual([['team/one', 'team/one']]);
  });

  it('says of an object in whose place another one stands who must act', async () => {
    await offer();
    await eventually(() => provider.list(resource()));
    await provider.create(resource(), widget('foreign'));
    await bind();
    await start();
    await eventually(() => consumer.list(resource()));
    await consumer.create(resource(), widget('small'));
    await eventually(async () => {
      expect(findingLines(await look())).toEqual([`Widget${number} team/one: ForeignObjectExists, consumer`]);
    });
  });

  it('says what of a Connection is wrong, and what a binding waits for', async () => {
    await bind();
    await clusters.putSecret(plural, 'nonsense');
    expect(findingLines(await look({ kinds: ['Connection'] }))).toEqual([
      `Connection ${plural}: KubeconfigRefused, operator`,
      `Connection ${plural}: KonnectorSilent, operator`,
    ]);
    await clusters.putSecret(plural);
    expect(findingLines(await look({ kinds: ['ClusterBinding'] }))).toEqual([
      `ClusterBinding ${plural}: APINotExported, provider`,
    ]);
  });
});
