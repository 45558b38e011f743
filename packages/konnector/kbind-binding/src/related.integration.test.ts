import { type Client, createClient, getIfExists, type KubeObject, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Binding, installCRDs, labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { createSharedInformers } from '@hawser/informer';
import { crdOf } from '@hawser/installation';
import { type ConnectionController, createConnectionController, type OpenProvider } from '@hawser/kbind-connection';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import {
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  type RunningController,
  runController,
  settled,
  startControlPlane,
} from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createBindingController } from './index.js';

const core = (resource: string): Resource => ({ group: '', version: 'v1', resource });
const NAMESPACES = core('namespaces');
const SECRETS = core('secrets');
const CONFIG_MAPS = core('configmaps');
const telemetry = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: noMetrics };
const open: OpenProvider = (connection) => {
  const client = createClient({ name: 'provider', connection });
  const informers = createSharedInformers({ client, ...telemetry });
  const events = { record: () => undefined, flush: () => Promise.resolve() };
  return {
    cluster: { name: 'provider', client, informers, events },
    close: async () => {
      await informers.close();
      await client.close();
    },
  };
};

const text = (value: string): string => Buffer.from(value).toString('base64');

describeWithControlPlane('Related resources', () => {
  let planes: Readonly<Record<'consumer' | 'provider', ControlPlane>>;
  let consumer: Client;
  let provider: Client;
  let connections: ConnectionController;
  let running: RunningController[] = [];
  let number = 0;
  /** Of the binding, and of the namespace in which its objects are. */
  let name: string;

  beforeAll(async () => {
    const [one, other] = await Promise.all([
      startControlPlane({ name: 'kbind-consumer' }),
      startControlPlane({ name: 'kbind-provider' }),
    ]);
    planes = { consumer: one, provider: other };
    consumer = createClient({ name: 'consumer', connection: one.connection });
    provider = createClient({ name: 'provider', connection: other.connection });
    await installCRDs(consumer, { clock: systemClock });
    const schema = { properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } };
    const crd = crdOf({ group: 'example.org', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' }, schema);
    const metadata = { ...crd.metadata, labels: { [labels.exported]: 'true' } };
    await provider.create(customResourceDefinitions, { ...crd, metadata });
    await consumer.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kbind' } });
    const kubeconfig = text(other.kubeconfig);
    await consumer.create(SECRETS, object('Secret', 'demo', { data: { kubeconfig } }, {}, 'kbind'));
    await consumer.create(resources.connections, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'Connection',
      metadata: { name: 'demo' },
      spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' }, schema: { source: 'CRD' } },
    } as KubeObject);
    await start();
  });
  afterAll(async () => {
    await stop();
    await consumer.close();
    await provider.close();
    await Promise.all([planes.consumer.stop(), planes.provider.stop()]);
  });
  beforeEach(async () => {
    name = `team-${++number}`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await Promise.all([consumer, provider].map((client) => client.create(NAMESPACES, namespace)));
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
    connections = createConnectionController({ open });
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  }

  async function stop(): Promise<void> {
    for (const one of running) await one.stop();
  }

  const object = (
    kind: 'Secret' | 'ConfigMap',
    as: string,
    content: object,
    itsLabels: Readonly<Record<string, string>> = {},
    namespace = name,
  ): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name: as, namespace, labels: itsLabels }, ...content });

  const secret = (as: string, value: string, itsLabels = {}, namespace = name): KubeObject =>
    object('Secret', as, { data: { password: text(value) } }, itsLabels, namespace);

  const at = (client: Client, as: string, resource = SECRETS, namespace = name): Promise<KubeObject | undefined> =>
    getIfExists<KubeObject>(client, resource, { namespace, name: as });

  const bindingKey = (isCluster: boolean) => (isCluster ? { name } : { name, namespace: name });
  const kindOf = (isCluster: boolean): Resource => (isCluster ? resources.clusterBindings : resources.bindings);

  /** A Binding of the namespace of the test, or a ClusterBinding. */
  async function bind(relatedResources: readonly object[], isCluster = false, annotations = {}): Promise<void> {
    await consumer.create(kindOf(isCluster), {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: isCluster ? 'ClusterBinding' : 'Binding',
      metadata: { ...bindingKey(isCluster), annotations },
      spec: { connectionRef: { name: 'demo' }, apis: [{ name: 'widgets.example.org' }], relatedResources },
    } as KubeObject);
  }

  const read = (isCluster = false): Promise<Binding | undefined> =>
    getIfExists<Binding>(consumer, kindOf(isCluster), bindingKey(isCluster));

  async function follow(relatedResources: readonly object[], isCluster = false): Promise<void> {
    const patch = { spec: { relatedResources } };
    await consumer.patch(kindOf(isCluster), bindingKey(isCluster), { type: 'merge', patch });
  }

  const becomes = (standing: string, words = '', isCluster = false): Promise<void> =>
    eventually(async () => {
      const condition = (await read(isCluster))?.status?.conditions?.find(
        ({ type }) => type === 'RelatedResourcesInSync',
      );
      expect(`${condition?.status ?? ''} ${condition?.reason ?? ''}`).toBe(standing);
      expect(condition?.message).toContain(words);
    });

  const comes = (client: Client, as: string, content: object, resource = SECRETS): Promise<void> =>
    eventually(async () => {
      expect(await at(client, as, resource)).toMatchObject(content);
    });

  const goes = (client: Client, as: string, resource = SECRETS): Promise<void> =>
    eventually(async () => {
      expect(await at(client, as, resource)).toBeUndefined();
    });

  const app = { app: 'widget' };
  const byLabel = (direction: string, resource = 'secrets') => ({
    group: '',
    resource,
    direction,
    selector: { labelSelector: { matchLabels: app } },
  });
  const byName = (direction: string, ...names: readonly string[]) => ({
    group: '',
    resource: 'secrets',
    direction,
    selector: { names },
  });
  const inStep = 'True AsExpected';

  it.each([
    ['secrets', 'FromProvider', 'Secret', SECRETS],
    ['secrets', 'FromConsumer', 'Secret', SECRETS],
    ['configmaps', 'FromProvider', 'ConfigMap', CONFIG_MAPS],
    ['configmaps', 'FromConsumer', 'ConfigMap', CONFIG_MAPS],
  ] as const)(
    '%s come %s, follow their original, and go when it is no longer selected',
    async (plural, direction, kind, resource) => {
      const [source, target] = direction === 'FromConsumer' ? [consumer, provider] : [provider, consumer];
      const content = (value: string) =>
        kind === 'Secret' ? { data: { key: text(value) } } : { data: { key: value } };
      await source.create(resource, object(kind, 'wanted', content('one'), { ...app, own: 'label' }));
      await source.create(resource, object(kind, 'unwanted', content('one')));
      await bind([byLabel(direction, plural)]);
      await comes(target, 'wanted', content('one'), resource);
      const uid = (await read())?.metadata.uid;
      const copy = await at(target, 'wanted', resource);
      expect(copy?.metadata.labels).toEqual({ 'core.kbind.io/managed': 'true' });
      expect(copy?.metadata.annotations).toEqual({
        'core.kbind.io/related-binding': uid,
        'core.kbind.io/consumer-cluster-uid': (await consumer.get(NAMESPACES, { name: 'kube-system' })).metadata.uid,
      });
      const key = { namespace: name, name: 'wanted' };
      await source.patch(resource, key, { type: 'merge', patch: content('two') });
      await comes(target, 'wanted', content('two'), resource);
      // What somebody changes on the copy is put back.
      await target.patch(resource, key, { type: 'merge', patch: content('three') });
      await comes(target, 'wanted', content('two'), resource);
      await becomes(inStep);
      expect(await at(target, 'unwanted', resource)).toBeUndefined();

      await source.patch(resource, key, { type: 'merge', patch: { metadata: { labels: { app: null } } } });
      await goes(target, 'wanted', resource);
      await source.patch(resource, key, { type: 'merge', patch: { metadata: { labels: app } } });
      await comes(target, 'wanted', content('two'), resource);
      await source.delete(resource, key);
      await goes(target, 'wanted', resource);
    },
  );

  it('are selected by name, and go with their binding, but not what was there before', async () => {
    await provider.create(SECRETS, secret('wanted', 'one'));
    await provider.create(SECRETS, secret('unwanted', 'one'));
    await provider.create(SECRETS, secret('foreign', 'theirs'));
    await consumer.create(SECRETS, secret('foreign', 'ours'));
    await bind([byName('FromProvider', 'wanted', 'foreign')], true);
    await comes(consumer, 'wanted', { data: { password: text('one') } });
    await becomes('False RelatedObjectExists', `Secret ${name}/foreign on the consumer`, true);
    expect(await at(consumer, 'unwanted')).toBeUndefined();
    await consumer.delete(resources.clusterBindings, { name });
    await eventually(async () => {
      expect(await read(true)).toBeUndefined();
    });
    expect(await at(consumer, 'wanted')).toBeUndefined();
    expect(await at(consumer, 'foreign')).toMatchObject({ data: { password: text('ours') } });
    expect(await at(provider, 'wanted')).toBeDefined();
  });

  it('come once what stood in their place is gone', async () => {
    await consumer.create(SECRETS, secret('shared', 'one', app));
    await provider.create(SECRETS, secret('shared', 'theirs'));
    await bind([byLabel('FromConsumer')]);
    await becomes('False RelatedObjectExists', `Secret ${name}/shared on the provider`);
    await provider.delete(SECRETS, { namespace: name, name: 'shared' });
    await comes(provider, 'shared', { data: { password: text('one') } });
    await becomes(inStep);
  });

  it('of two rules stand beside each other, and go with their own rule', async () => {
    await provider.create(SECRETS, secret('one', 'one'));
    await provider.create(SECRETS, secret('two', 'two', app));
    const rules = [byName('FromProvider', 'one'), byLabel('FromProvider')];
    await bind(rules);
    await comes(consumer, 'one', {});
    await comes(consumer, 'two', {});
    await becomes(inStep);
    await follow(rules.slice(1));
    await goes(consumer, 'one');
    expect(await at(consumer, 'two')).toBeDefined();
    await follow([]);
    await goes(consumer, 'two');
    await eventually(async () => {
      expect((await read())?.metadata.annotations ?? {}).not.toHaveProperty('hawser.dev/related-resources');
    });
  });

  it('stay where an operator lets go of the binding', async () => {
    await consumer.create(SECRETS, secret('one', 'one', app));
    await bind([byLabel('FromConsumer')], false, { 'hawser.dev/unbind-policy': 'Orphan' });
    await comes(provider, 'one', {});
    await consumer.delete(resources.bindings, bindingKey(false));
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    expect(await at(provider, 'one')).toBeDefined();
  });

  it('never are kubeconfigs, tokens, or what belongs to Kubernetes, however wide the rule', async () => {
    await consumer.create(SECRETS, secret('plain', 'one'));
    const token = 'bootstrap.kubernetes.io/token';
    await consumer.create(SECRETS, object('Secret', 'token', { type: token, data: { 'token-id': text('abcdef') } }));
    await consumer.create(SECRETS, secret(`system-${name}`, 'one', {}, 'kube-system'));
    await bind([{ group: '', resource: 'secrets', direction: 'FromConsumer' }], true);
    await comes(provider, 'plain', {});
    await becomes('False RelatedObjectProtected', 'is selected and not copied', true);
    expect(await at(provider, 'token')).toBeUndefined();
    expect(await at(provider, 'demo', SECRETS, 'kbind')).toBeUndefined();
    expect(await at(provider, `system-${name}`, SECRETS, 'kube-system')).toBeUndefined();
  });

  it('of a hostile provider come neither in the place of kubeconfigs nor where the konnector takes them from', async () => {
    const kbind = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kbind' } };
    await provider.create(NAMESPACES, kbind).catch(() => undefined);
    await eventually(async () => {
      await provider.create(SECRETS, secret(`evil-${name}`, 'one', app, 'kbind'));
    });
    await provider.create(SECRETS, secret(`evil-${name}`, 'one', app, 'kube-system'));
    await provider.create(SECRETS, secret('good', 'one', app));
    await bind([byLabel('FromProvider')], true);
    await comes(consumer, 'good', {});
    await becomes('False RelatedObjectProtected', 'the konnector takes kubeconfigs from namespace kbind', true);
    expect(await at(consumer, `evil-${name}`, SECRETS, 'kbind')).toBeUndefined();
    expect(await at(consumer, `evil-${name}`, SECRETS, 'kube-system')).toBeUndefined();
  });

  it('are made anew where a type has changed, and a clone with their marks is kept', async () => {
    await provider.create(SECRETS, secret('one', 'one', app));
    await bind([byLabel('FromProvider')]);
    await comes(consumer, 'one', {});
    const copy = await consumer.get(SECRETS, { namespace: name, name: 'one' });
    const { labels: itsLabels, annotations } = copy.metadata;
    await consumer.create(SECRETS, {
      ...copy,
      metadata: { name: 'clone', namespace: name, labels: itsLabels, annotations },
    });
    await becomes('False RelatedCopyLeftOver', `Secret ${name}/clone on the consumer`);
    await provider.delete(SECRETS, { namespace: name, name: 'one' });
    const typed = object('Secret', 'one', { type: 'example.org/new', data: { password: text('two') } }, app);
    await provider.create(SECRETS, typed);
    await comes(consumer, 'one', { type: 'example.org/new', data: { password: text('two') } });
    expect(await at(consumer, 'clone')).toBeDefined();
    // It holds up nothing when the binding goes.
    await consumer.delete(resources.bindings, bindingKey(false));
    await goes(consumer, 'one');
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    expect(await at(consumer, 'clone')).toBeDefined();
  });

  it('refuse a rule that is not understood, and collect nothing by it', async () => {
    await provider.create(SECRETS, secret('one', 'one', app));
    await bind([byLabel('FromProvider')]);
    await comes(consumer, 'one', {});
    await follow([{ ...byLabel('FromProvider'), group: 'apps' }]);
    await becomes('False RelatedRuleRefused', 'spec.relatedResources[0] names API group "apps"');
    await settled(async () => [await at(consumer, 'one')]);
    expect(await at(consumer, 'one')).toBeDefined();
    await follow([byLabel('FromProvider')]);
    await becomes(inStep);
  });

  it.each([
    ['NotIn without values', [{ key: 'app', operator: 'NotIn' }]],
    ['In without values', [{ key: 'app', operator: 'In', values: [] }]],
    ['Exists with values', [{ key: 'app', operator: 'Exists', values: ['widget'] }]],
    ['a value that is no label', [{ key: 'app', operator: 'NotIn', values: ['not a label'] }]],
    ['a key that is no label', [{ key: 'not a label', operator: 'DoesNotExist' }]],
  ])('refuse a rule whose selector an API server would refuse, and collect nothing by it: %s', async (_, wrong) => {
    await consumer.create(SECRETS, secret('one', 'one', app));
    await consumer.create(SECRETS, secret('private', 'one'));
    await bind([byLabel('FromConsumer')]);
    await comes(provider, 'one', {});
    await follow([{ ...byLabel('FromConsumer'), selector: { labelSelector: { matchExpressions: wrong } } }]);
    await becomes('False RelatedRuleRefused', 'spec.relatedResources[0] has a label selector');
    await settled(async () => [await at(provider, 'one'), await at(provider, 'private')]);
    expect(await at(provider, 'one')).toBeDefined();
    expect(await at(provider, 'private')).toBeUndefined();
    await follow([byLabel('FromConsumer')]);
    await becomes(inStep);
  });

  it.each([
    ['consumer', 'FromConsumer', 'FromProvider'],
    ['provider', 'FromProvider', 'FromConsumer'],
  ] as const)(
    'do not come back to the %s out of their own copies, by a rule of another binding',
    async (_, direction, back) => {
      const [source, target] = direction === 'FromConsumer' ? [consumer, provider] : [provider, consumer];
      await source.create(SECRETS, secret('one', 'one'));
      await bind([byName(direction, 'one')]);
      await comes(target, 'one', {});
      await bind([byName(back, 'one')], true);
      await becomes('False RelatedObjectOfAnother', `Secret ${name}/one on the`, true);
      await source.delete(SECRETS, { namespace: name, name: 'one' });
      await goes(target, 'one');
      await settled(async () => [await at(provider, 'one'), await at(consumer, 'one')]);
      expect(await at(source, 'one')).toBeUndefined();
    },
    60_000,
  );

  it('do not come out of the copies of another consumer cluster', async () => {
    const annotations = { 'core.kbind.io/related-binding': 'theirs', 'core.kbind.io/consumer-cluster-uid': 'theirs' };
    const theirs = secret('theirs', 'private');
    await provider.create(SECRETS, { ...theirs, metadata: { ...theirs.metadata, annotations } });
    await provider.create(SECRETS, secret('one', 'one'));
    await bind([{ group: '', resource: 'secrets', direction: 'FromProvider' }]);
    await comes(consumer, 'one', {});
    await becomes('False RelatedObjectOfAnother', `Secret ${name}/theirs on the provider`);
    expect(await at(consumer, 'theirs')).toBeUndefined();
  });

  it('let go of the binding although a controller owns a copy', async () => {
    await provider.create(SECRETS, secret('one', 'one', app));
    await bind([byLabel('FromProvider')]);
    await comes(consumer, 'one', {});
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', controller: true };
    await consumer.patch(
      SECRETS,
      { namespace: name, name: 'one' },
      { type: 'merge', patch: { metadata: { ownerReferences: [owner] } } },
    );
    await consumer.delete(resources.bindings, bindingKey(false));
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    expect(await at(consumer, 'one')).toBeDefined();
  });

  it('are found again by a binding that was made anew without its old one being drained', async () => {
    await provider.create(SECRETS, secret('one', 'one', app));
    await bind([byLabel('FromProvider')], false, { 'hawser.dev/unbind-policy': 'Orphan' });
    await comes(consumer, 'one', {});
    await consumer.delete(resources.bindings, bindingKey(false));
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    await bind([byLabel('FromProvider')]);
    await becomes(inStep);
    const uid = (await read())?.metadata.uid;
    await comes(consumer, 'one', { metadata: { annotations: { 'core.kbind.io/related-binding': uid } } });
  });

  it('write nothing at a restart', async () => {
    await provider.create(SECRETS, secret('one', 'one', app));
    await consumer.create(SECRETS, secret('two', 'two'));
    await bind([byLabel('FromProvider'), byName('FromConsumer', 'two')]);
    await comes(consumer, 'one', {});
    await comes(provider, 'two', {});
    await becomes(inStep);
    // The last word about the binding may come after that about what is related.
    await settled(async () => [await read()]);
    await stop();
    const marks = [await planes.consumer.auditLog().mark(), await planes.provider.auditLog().mark()] as const;
    await start();
    await eventually(() => {
      expect(connections.links.get('demo')).toBeDefined();
    });
    const writes = await settled(async () => [
      ...(await planes.consumer.auditLog().writes({ since: marks[0] })),
      ...(await planes.provider.auditLog().writes({ since: marks[1] })),
    ]);
    expect(writes.filter(({ resource: kind }) => kind !== 'leases' && kind !== 'selfsubjectaccessreviews')).toEqual([]);
  });

  it('wait under a pause, as the end of their binding does, and go on after it', async () => {
    await provider.create(SECRETS, secret('wanted', 'one', app));
    await bind([byLabel('FromProvider')]);
    await comes(consumer, 'wanted', { data: { password: text('one') } });
    const pause = (reason: string | null): Promise<unknown> =>
      consumer.patch(kindOf(false), bindingKey(false), {
        type: 'merge',
        patch: { metadata: { annotations: { 'hawser.dev/paused': reason } } },
      });
    // In one step for the konnector.
    await stop();
    await pause('maintenance');
    const change = { type: 'merge', patch: { data: { password: text('two') } } } as const;
    await provider.patch(SECRETS, { namespace: name, name: 'wanted' }, change);
    await start();
    await becomes('False Paused', 'maintenance');
    expect(await at(consumer, 'wanted')).toMatchObject({ data: { password: text('one') } });
    await consumer.delete(kindOf(false), bindingKey(false));
    await eventually(async () => {
      const condition = (await read())?.status?.conditions?.find(({ type }) => type === 'Ready');
      expect(condition).toMatchObject({
        status: 'False',
        message: expect.stringContaining('copies that are left: 1 secrets'),
      });
    });
    expect(await at(consumer, 'wanted')).toMatchObject({ data: { password: text('one') } });
    await pause(null);
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    expect(await at(consumer, 'wanted')).toBeUndefined();
  });

  it('are tried again at once when a person asks for it', async () => {
    const quotas = core('resourcequotas');
    const quota = { namespace: name, name: 'none' };
    const hard = { secrets: '0' };
    await provider.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: quota,
      spec: { hard },
    } as KubeObject);
    const status = { type: 'merge', patch: { status: { hard, used: { secrets: '0' } } } } as const;
    await provider.patch(quotas, quota, status, { subresource: 'status' });
    await consumer.create(SECRETS, secret('wanted', 'one', { app: 'widget' }));
    const selector = { labelSelector: { matchLabels: { app: 'widget' } } };
    await consumer.create(resources.clusterBindings, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'ClusterBinding',
      metadata: { name },
      spec: {
        connectionRef: { name: 'demo' },
        apis: [{ name: 'widgets.example.org' }],
        relatedResources: [{ group: '', resource: 'secrets', direction: 'FromConsumer', selector }],
      },
    } as KubeObject);
    const relatedMessage = async (): Promise<string | undefined> =>
      (await consumer.get<Binding>(resources.clusterBindings, { name })).status?.conditions?.find(
        ({ type }) => type === 'RelatedResourcesInSync',
      )?.message;
    await eventually(async () => {
      expect(await relatedMessage()).toContain('exceeded quota');
    });
    await provider.delete(quotas, quota);
    await consumer.patch(
      resources.clusterBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/retry-at': '2026-01-01T00:00:00Z' } } } },
    );
    await eventually(
      async () => {
        expect(await at(provider, 'wanted')).toBeDefined();
      },
      { timeoutMs: 10_000 },
    );
  });
});
