import type { Controller } from '@hawser/controller';
import {
  type APIServiceExport,
  type APIServiceNamespace,
  apiVersion,
  hawserAnnotations,
  providerOwnedNamespace,
  resources,
} from '@hawser/kube-bind';
import { type AuditMark, describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  binderRules,
  openKonnectorPair,
  schemaSpec,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createNamespaceLifecycle } from './index.js';

const SOON = { timeoutMs: 20_000 };

describeWithControlPlane('namespacelifecycle', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let binding: string;
  let identity: string;
  const named = (name: string): string => `${name}-${pair.clusterNamespace}`;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    binding = named('databases');
    // The servers that tests share need not have kube-system.
    const uidOf = async (name: string) =>
      (await pair.find(pair.consumer, resources.namespaces, { name }))?.metadata.uid;
    identity = (await uidOf('kube-system')) ?? (await uidOf('default')) ?? '';
    await pair.createSchema('databases');
    await pair.createExport(binding, ['databases']);
    await pair.provider.create(resources.customResourceDefinitions, providerCrd());
    await eventually(() => pair.provider.list({ group: pair.group, version: 'v1', resource: 'databases' }), SOON);
    await pair.bind(binding);
    await pair.grant([...binderRules, { apiGroups: [pair.group], resources: ['*'], verbs: ['*'] }]);
  });
  afterEach(async () => {
    await Promise.all(running.map((controller) => controller.stop()));
    for (const { metadata } of (await pair.consumer.list(resources.namespaces)).items)
      if (metadata.name.endsWith(pair.clusterNamespace)) await removeNamespace(metadata.name);
    await pair.close();
  });

  const providerCrd = () => {
    const spec = Object.fromEntries(
      Object.entries(schemaSpec(pair.group, 'databases')).filter(([field]) => field !== 'informerScope'),
    );
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `databases.${pair.group}` },
      spec,
    } as never;
  };
  async function start(
    options: Partial<Parameters<typeof createNamespaceLifecycle>[0]> = {},
    context = pair.context(),
  ): Promise<Controller<'consumer' | 'provider'>> {
    const controller = createNamespaceLifecycle({
      connection: pair.connection,
      ownNamespaces: [named('own')],
      lookAgainMs: 200,
      reportDelayMs: 50,
      ...options,
    });
    running.push(controller);
    await controller.start(context);
    return controller;
  }
  const apiExport = (): Promise<APIServiceExport> =>
    pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
      namespace: pair.clusterNamespace,
      name: binding,
    });
  const requestFromProvider = async (name: string): Promise<unknown> =>
    pair.provider.create(resources.apiServiceNamespaces, providerOwnedNamespace(await apiExport(), name));
  /** As a sync makes them, answered by the provider. */
  async function requestFromConsumer(
    name: string,
    maker: string | undefined = identity,
    serviceNamespace?: string,
  ): Promise<void> {
    const object: APIServiceNamespace = {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: {
        namespace: pair.clusterNamespace,
        name,
        ...(maker === '' ? {} : { annotations: { [hawserAnnotations.consumerIdentity]: maker } }),
        ownerReferences: [
          { apiVersion, kind: 'APIServiceExport', name: binding, uid: (await apiExport()).metadata.uid ?? '' },
        ],
      },
      spec: {},
    };
    await pair.provider.create(resources.apiServiceNamespaces, object);
    if (serviceNamespace !== undefined)
      await pair.provider.patch(
        resources.apiServiceNamespaces,
        { namespace: pair.clusterNamespace, name },
        { type: 'merge', patch: { status: { namespace: serviceNamespace } } },
        { subresource: 'status' },
      );
  }
  const request = (name: string) =>
    pair.find<APIServiceNamespace>(pair.provider, resources.apiServiceNamespaces, {
      namespace: pair.clusterNamespace,
      name,
    });
  const requestGone = (name: string): Promise<unknown> =>
    eventually(async () => {
      expect(await request(name)).toBeUndefined();
    }, SOON);
  const makeNamespace = (name: string): Promise<unknown> =>
    pair.consumer.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const namespaceOf = (name: string) => pair.find(pair.consumer, resources.namespaces, { name });
  /** There is nobody who would finish the deletion. */
  async function removeNamespace(name: string): Promise<void> {
    await pair.consumer.delete(resources.namespaces, { name }).catch(() => undefined);
    const object = (await pair.consumer.raw('GET', `/api/v1/namespaces/${name}`).catch(() => undefined)) as
      { spec: object } | undefined;
    if (object !== undefined)
      await pair.consumer
        .update(resources.namespaces, { ...object, spec: { finalizers: [] } } as never, { subresource: 'finalize' })
        .catch(() => undefined);
  }
  const appears = (name: string) =>
    eventually(async () => {
      const found = await namespaceOf(name);
      if (found === undefined) throw new Error(`no namespace ${name}`);
      return found;
    }, SOON);
  const writes = async (since: AuditMark): Promise<string[]> =>
    (await pair.consumerPlane.auditLog().writes({ since }))
      .filter(({ name = '' }) => name.includes(pair.clusterNamespace))
      .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);

  it('makes the namespaces that the provider asks for, again if somebody deletes them, and none that is protected', async () => {
    const [wanted, evil] = [named('wanted'), `kube-${named('evil')}`];
    await requestFromProvider(wanted);
    await requestFromProvider(evil);
    await requestFromProvider(named('own'));
    const controller = await start();
    const made = await appears(wanted);
    expect(made.metadata.labels).toMatchObject({ 'kube-bind.io/owner': 'provider' });
    const condition = await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'ProtectedNamespace',
      message: `asks for namespace ${evil}, which is not made: the name is one of Kubernetes`,
    });
    await pair.becomes(binding, 'NamespacesInSync', {
      message: `asks for namespace ${named('own')}, which is not made: it is the konnector's own`,
    });
    expect(condition.severity ?? '').toBe('');
    await eventually(() => {
      expect(pair.events.join('\n')).toContain(
        `APIServiceBinding ${binding} Warning ProtectedNamespace: The provider asks for namespace`,
      );
    });
    await removeNamespace(wanted);
    expect(
      (
        await eventually(async () => {
          const again = await appears(wanted);
          if (again.metadata.uid === made.metadata.uid) throw new Error('the old one');
          return again;
        }, SOON)
      ).metadata.labels,
    ).toMatchObject({ 'kube-bind.io/owner': 'provider' });
    expect([await namespaceOf(evil), await namespaceOf(named('own'))]).toEqual([undefined, undefined]);

    await controller.stop();
    const since = await pair.consumerPlane.auditLog().mark();
    await start();
    // Answered after what was there before.
    await requestFromProvider(named('later'));
    await appears(named('later'));
    expect(await writes(since)).toEqual([`create namespaces ${named('later')}`]);

    for (const name of [evil, named('own')])
      await pair.provider.delete(resources.apiServiceNamespaces, { namespace: pair.clusterNamespace, name });
    await pair.becomes(binding, 'NamespacesInSync', { status: 'True' });
    // What the provider no longer asks for stays: it is the consumer's.
    await pair.provider.delete(resources.apiServiceNamespaces, { namespace: pair.clusterNamespace, name: wanted });
    await requestFromProvider(named('last'));
    await appears(named('last'));
    expect(await namespaceOf(wanted)).toBeDefined();
  });

  it('makes no more namespaces for one provider than it may have made, and goes on when one is gone', async () => {
    await start({ maxNamespaces: 2 });
    const names = ['one', 'two', 'three', 'four'].map(named);
    // One that the consumer has of its own takes up no room.
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: named('own-one') },
    });
    await requestFromProvider(named('own-one'));
    for (const name of names) await requestFromProvider(name);
    const condition = await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'TooManyNamespaces',
      message: 'asks for more namespaces than the 2 that one provider may have made here',
    });
    expect(condition.severity ?? '').toBe('');
    const there = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const name of names) if ((await namespaceOf(name)) !== undefined) found.push(name);
      return found;
    };
    const first = await there();
    expect(first).toHaveLength(2);
    expect((await namespaceOf(first[0]!))?.metadata.annotations).toHaveProperty(['hawser.dev/provider-identity']);
    // Withdrawn or not: what was made counts until it is gone from the consumer.
    await pair.provider.delete(resources.apiServiceNamespaces, { namespace: pair.clusterNamespace, name: first[0]! });
    await requestFromProvider(named('five'));
    await eventually(() => {
      expect(pair.events.filter((event) => event.includes('TooManyNamespaces'))).toHaveLength(1);
    }, SOON);
    expect([await there(), await namespaceOf(named('five'))]).toEqual([first, undefined]);
    await removeNamespace(first[0]!);
    await eventually(async () => {
      expect(await there()).toHaveLength(2);
    }, SOON);
    expect(await there()).toContain(first[1]);
  });

  it('makes nothing before anything is bound', async () => {
    pair.bindings.leave(binding);
    await requestFromProvider(named('wanted'));
    await start();
    const since = await pair.consumerPlane.auditLog().mark();
    pair.bindings.join(binding);
    await appears(named('wanted'));
    expect(await writes(since)).toEqual([`create namespaces ${named('wanted')}`]);
  });

  it('deletes the APIServiceNamespace of a namespace that is gone, and nothing of one that stands', async () => {
    for (const name of [named('a'), named('b')]) {
      await makeNamespace(name);
      await requestFromConsumer(name, identity, pair.clusterNamespace);
    }
    await start();
    await removeNamespace(named('a'));
    await requestGone(named('a'));
    expect(await request(named('b'))).toBeDefined();
    // Also what went while nobody looked.
    await running[0]?.stop();
    await removeNamespace(named('b'));
    await start();
    await requestGone(named('b'));
    expect(await pair.condition(binding, 'NamespacesInSync')).toBeUndefined();
  });

  it('keeps the APIServiceNamespace while its service namespace holds a bound object', async () => {
    const name = named('full');
    const service = pair.clusterNamespace;
    await requestFromConsumer(name, identity, service);
    const database = {
      apiVersion: `${pair.group}/v1`,
      kind: 'Database',
      metadata: { namespace: service, name: 'one' },
    };
    await pair.provider.create({ group: pair.group, version: 'v1', resource: 'databases' }, database);
    await start();
    await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'ServiceNamespaceInUse',
      message: `still holds databases.${pair.group} one`,
    });
    expect((await request(name))?.metadata.deletionTimestamp).toBeUndefined();
    await pair.provider.delete(
      { group: pair.group, version: 'v1', resource: 'databases' },
      { namespace: service, name: 'one' },
    );
    await requestGone(name);
    await pair.becomes(binding, 'NamespacesInSync', { status: 'True' });
  });

  const claimSecrets = (): Promise<unknown> =>
    pair.consumer.patch(
      resources.apiServiceBindings,
      { name: binding },
      {
        type: 'merge',
        patch: { status: { permissionClaims: [{ group: '', resource: 'secrets', selector: { all: true } }] } },
      },
      { subresource: 'status' },
    );
  const marksOf = (consumerNamespace: string): object => ({
    labels: { 'kube-bind.io/owner': 'consumer' },
    annotations: {
      'kube-bind.io/consumer-namespace': consumerNamespace,
      'kube-bind.io/consumer-uid': 'u',
      'hawser.dev/consumer-name': 'lost',
    },
  });
  const secret = (object: string, metadata: object): Promise<unknown> =>
    pair.provider.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: pair.clusterNamespace, name: object, ...metadata },
    });

  it('keeps the APIServiceNamespace while its service namespace holds the copy of a claimed object, as after a restore of the consumer', async () => {
    const name = named('claimed');
    const namespace = pair.clusterNamespace;
    await claimSecrets();
    const marks = marksOf(name);
    await secret('lost', marks);
    // Neither is a copy.
    await secret('my-backup', marks);
    await secret('of-the-provider', { labels: { 'kube-bind.io/owner': 'provider' } });
    await requestFromConsumer(name, identity, namespace);
    await start();
    await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'ServiceNamespaceInUse',
      message: 'still holds secrets lost, the copy of a claimed object',
    });
    expect((await request(name))?.metadata.deletionTimestamp).toBeUndefined();
    await pair.provider.delete(resources.secrets, { namespace, name: 'lost' });
    await requestGone(name);
  });

  it('keeps it for what a binding claims that another connection serves, of this process or of another', async () => {
    const name = named('elsewhere');
    const other = named('other');
    await claimSecrets();
    pair.bindings.leave(binding);
    await pair.createExport(other, ['databases']);
    await pair.bind(other);
    await secret('lost', marksOf(name));
    await requestFromConsumer(name, identity, pair.clusterNamespace);
    await start();
    await pair.becomes(other, 'NamespacesInSync', {
      status: 'False',
      reason: 'ServiceNamespaceInUse',
      message: 'still holds secrets lost, the copy of a claimed object',
    });
    expect((await request(name))?.metadata.deletionTimestamp).toBeUndefined();
    await pair.provider.delete(resources.secrets, { namespace: pair.clusterNamespace, name: 'lost' });
    await requestGone(name);
  });

  it('keeps the APIServiceNamespace while nobody can tell whether its service namespace is empty', async () => {
    await pair.grant(binderRules);
    const name = named('unseen');
    await requestFromConsumer(name, identity, pair.clusterNamespace);
    await start();
    await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'ServiceNamespaceKept',
      message: 'forbidden',
    });
    expect((await request(name))?.metadata.deletionTimestamp).toBeUndefined();
    await pair.grant([...binderRules, { apiGroups: [pair.group], resources: ['*'], verbs: ['*'] }]);
    await requestGone(name);
  });

  it('leaves what another consumer cluster has made, and what does not say who has made it', async () => {
    await requestFromConsumer(named('other'), 'another-cluster', pair.clusterNamespace);
    await requestFromConsumer(named('unknown'), '', pair.clusterNamespace);
    await start();
    const condition = await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'ServiceNamespaceOfUnknownConsumer',
      message: `Namespace ${named('unknown')} does not exist`,
    });
    expect(condition.message).not.toContain(named('other'));
    expect(
      [await request(named('other')), await request(named('unknown'))].map(
        (object) => object?.metadata.deletionTimestamp,
      ),
    ).toEqual([undefined, undefined]);
    // As the message says.
    await pair.provider.patch(
      resources.apiServiceNamespaces,
      { namespace: pair.clusterNamespace, name: named('unknown') },
      { type: 'merge', patch: { metadata: { annotations: { [hawserAnnotations.consumerIdentity]: identity } } } },
    );
    await requestGone(named('unknown'));
    expect(await request(named('other'))).toBeDefined();
  });

  it('does no work for namespaces that have no APIServiceNamespace', async () => {
    const context = pair.context();
    await start({}, context);
    const watched = () =>
      context.clusters.consumer.informers.active.map(
        ({ spec }) => `${spec.resource.resource} ${spec.projection ?? 'full'}`,
      );
    expect(watched()).toEqual(['apiservicebindings full']);
    await requestFromProvider(named('wanted'));
    await appears(named('wanted'));
    expect(watched()).toEqual(['apiservicebindings full', 'namespaces metadata']);
    const since = {
      consumer: await pair.consumerPlane.auditLog().mark(),
      provider: await pair.providerPlane.auditLog().mark(),
    };
    for (const n of [1, 2, 3]) await makeNamespace(named(`idle-${n}`));
    await removeNamespace(named('idle-1'));
    await requestFromProvider(named('after'));
    await appears(named('after'));
    const asked = await pair.providerPlane
      .auditLog()
      .entries({ since: since.provider, user: `system:serviceaccount:${pair.clusterNamespace}:kube-binder` });
    expect(asked.filter(({ verb }) => verb !== 'watch').map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([]);
    expect((await writes(since.consumer)).filter((write) => !write.includes('idle'))).toEqual([
      `create namespaces ${named('after')}`,
    ]);
  });

  it('says that it may not look for namespaces, and disturbs nobody else', async () => {
    const access = await pair.consumerPlane.userAccess(`nobody-${pair.clusterNamespace}`);
    const name = `read-${pair.clusterNamespace}`;
    await pair.consumer.create(resources.clusterRoles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [{ apiGroups: ['kube-bind.io'], resources: ['*'], verbs: ['*'] }],
    } as never);
    await pair.consumer.create(resources.clusterRoleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `nobody-${pair.clusterNamespace}` }],
    } as never);
    await requestFromProvider(named('wanted'));
    await start({}, pair.context({ consumer: access.connection }));
    await pair.becomes(binding, 'NamespacesInSync', {
      status: 'False',
      reason: 'NamespacesUnreadable',
      message: 'forbidden',
    });
  });
});
