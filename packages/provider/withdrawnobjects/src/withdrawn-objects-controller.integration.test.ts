import type { KubeObject, Resource, UnstructuredObject } from '@hawser/client';
import {
  type APIServiceExport,
  type ClusterBinding,
  type Condition,
  getCondition,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { rights } from './testing/rights.js';
import { createWithdrawnObjectsController, type WithdrawnObjectsOptions } from './withdrawn-objects-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';

describeWithControlPlane('createWithdrawnObjectsController', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let group: string;
  let databases: Resource;

  const start = async (options: Partial<WithdrawnObjectsOptions> = {}): Promise<void> => {
    running = await cluster.run(
      createWithdrawnObjectsController({
        dialect: kubeBindDialect,
        graceMs: 100,
        deletionsPerMinute: 3,
        recheckMs: 500,
        goneCheckMs: 100,
        ...options,
      }),
    );
  };
  beforeAll(async () => {
    cluster = await openProviderCluster(rights('kube-bind.io'));
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    group = uniqueGroup('withdrawn');
    databases = await provide('databases', 'Namespaced');
    await start();
  });
  afterEach(() => running.stop());

  const provide = async (plural: string, scope: string): Promise<Resource> => {
    await cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope,
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    } as UnstructuredObject);
    await cluster.grant([{ apiGroups: [group], resources: [plural], verbs: ['list', 'delete'] }]);
    await eventually(async () => {
      await cluster.client.list({ group, version: 'v1', resource: plural });
    });
    return { group, version: 'v1', resource: plural };
  };
  /** A consumer with an export of databases, and the namespace that stands for its namespace `team`. */
  const bind = async (
    annotations: Readonly<Record<string, string>> = {},
    plural = 'databases',
  ): Promise<{ readonly consumer: string; readonly copyNamespace: string }> => {
    const consumer = uniqueNamespace('kube-bind');
    const copyNamespace = `${consumer}-team`;
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: consumer },
    });
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: copyNamespace, annotations: { 'kube-bind.io/api-service-namespace': `${consumer}/team` } },
    });
    await cluster.client.create(resources.clusterBindings, {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { name: 'cluster', namespace: consumer },
      spec: { providerPrettyName: 'Lab', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    } as UnstructuredObject);
    await cluster.client.create(resources.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: { name: 'db', namespace: consumer, annotations },
      spec: {
        resources: [{ group, resource: plural, versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation: 'Prefixed',
      },
    } as UnstructuredObject);
    return { consumer, copyNamespace };
  };
  const marks = (consumer: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
    'kube-bind.io/cluster-namespace': consumer,
    'kube-bind.io/consumer-namespace': 'team',
    'kube-bind.io/consumer-uid': 'u',
    'hawser.dev/consumer-identity': `cluster-of-${consumer}`,
    ...more,
  });
  const copy = (
    copyNamespace: string,
    name: string,
    annotations: Readonly<Record<string, string>> = {},
    finalizers: readonly string[] = [],
  ): Promise<KubeObject> =>
    cluster.client.create(databases, {
      apiVersion: `${group}/v1`,
      kind: 'databases',
      metadata: { namespace: copyNamespace, name, annotations, finalizers },
    });
  const names = async (copyNamespace: string): Promise<readonly string[]> =>
    (await cluster.client.list(databases, { namespace: copyNamespace })).items
      .map(({ metadata }) => metadata.name)
      .sort();
  const exportOf = (consumer: string): Promise<APIServiceExport | undefined> =>
    cluster.read(resources.apiServiceExports, { namespace: consumer, name: 'db' });
  const annotate = (consumer: string, annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    cluster.client.patch(
      resources.apiServiceExports,
      { namespace: consumer, name: 'db' },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  const remove = (consumer: string): Promise<unknown> =>
    cluster.client.delete(resources.apiServiceExports, { namespace: consumer, name: 'db' });
  const isGone = (consumer: string): Promise<unknown> =>
    eventually(async () => {
      expect(await exportOf(consumer)).toBeUndefined();
    });
  const isGuarded = (consumer: string): Promise<unknown> =>
    eventually(async () => {
      expect((await exportOf(consumer))?.metadata.finalizers).toEqual(['hawser.dev/withdrawn-objects']);
    });
  const left = async (consumer: string): Promise<Condition | undefined> =>
    getCondition(
      (await cluster.read<ClusterBinding>(resources.clusterBindings, { namespace: consumer, name: 'cluster' }))?.status
        ?.conditions,
      'ObjectsLeft',
    );
  const reportsLeft = (consumer: string, words: string): Promise<unknown> =>
    eventually(async () => {
      expect((await left(consumer))?.message).toContain(words);
    });
  const reportsNothingLeft = (consumer: string): Promise<unknown> =>
    eventually(async () => {
      expect(await left(consumer)).toBeUndefined();
    });
  const held = (consumer: string, reason: string, type = 'DeletionsHeld'): Promise<Condition> =>
    eventually(async () => {
      const condition = getCondition((await exportOf(consumer))?.status?.conditions, type);
      expect(condition).toMatchObject({ reason });
      return condition as Condition;
    });
  const deletionsIn = async (copyNamespace: string): Promise<number> =>
    (await cluster.settledWrites()).filter(({ verb, namespace }) => verb === 'delete' && namespace === copyNamespace)
      .length;
  const Delete = { 'hawser.dev/withdrawn-objects': 'Delete' };

  it('keeps everything of an export that is withdrawn or deleted, and says what there is until it is gone', async () => {
    const { consumer, copyNamespace } = await bind();
    const other = await bind();
    for (const name of ['a', 'b', 'c', 'd']) await copy(copyNamespace, name, marks(consumer));
    await copy(copyNamespace, 'made-by-the-provider');
    await copy(other.copyNamespace, 'x', marks(other.consumer));
    await annotate(consumer, { 'hawser.dev/withdrawn': 'Unbound' });
    await reportsLeft(
      consumer,
      `4 copies of this consumer are left of exports that have ended: 4 databases.${group} (${copyNamespace}/a, ${copyNamespace}/b, ${copyNamespace}/c and 1 more).`,
    );
    // The condition is written before the event is told.
    await eventually(() => {
      expect(running.events).toContainEqual(
        expect.objectContaining({ event: expect.objectContaining({ reason: 'ExportsEnded' }) as unknown }),
      );
    });
    await annotate(consumer, { 'hawser.dev/withdrawn': null });
    await reportsNothingLeft(consumer);
    await remove(consumer);
    await isGone(consumer);
    await reportsLeft(consumer, '4 copies');
    // A restart finds them again, and writes nothing.
    const before = (await cluster.settledWrites()).length;
    await running.stop();
    await start();
    await cluster.client.delete(databases, { namespace: copyNamespace, name: 'd' });
    await reportsLeft(consumer, '3 copies');
    expect((await cluster.settledWrites()).slice(before)).toHaveLength(1);
    expect(await left(other.consumer)).toBeUndefined();
    expect(await deletionsIn(copyNamespace)).toBe(0);
    expect(await names(copyNamespace)).toEqual(['a', 'b', 'c', 'made-by-the-provider']);
    for (const name of ['a', 'b', 'c']) await cluster.client.delete(databases, { namespace: copyNamespace, name });
    await reportsNothingLeft(consumer);
  });

  it('deletes the copies of a deleted export and of nobody else, and lets the export go after the last of them', async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    const other = await bind(Delete);
    await isGuarded(consumer);
    await copy(copyNamespace, 'a', marks(consumer));
    await copy(copyNamespace, 'b', marks(consumer), ['example.com/teardown']);
    await copy(copyNamespace, 'made-by-the-provider');
    await copy(other.copyNamespace, 'x', marks(other.consumer));
    // A claimed Secret, whoever has it.
    await cluster.client.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: copyNamespace,
        name: 'claimed',
        annotations: marks(consumer),
        labels: { 'kube-bind.io/owner': 'consumer' },
      },
    });
    await remove(consumer);
    await eventually(async () => {
      expect(await names(copyNamespace)).toEqual(['b', 'made-by-the-provider']);
    });
    await reportsLeft(consumer, '1 copy of this consumer is left');
    expect((await exportOf(consumer))?.metadata.deletionTimestamp).toBeDefined();
    await cluster.client.patch(
      databases,
      { namespace: copyNamespace, name: 'b' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    );
    await isGone(consumer);
    await reportsNothingLeft(consumer);
    expect(await names(copyNamespace)).toEqual(['made-by-the-provider']);
    expect(await names(other.copyNamespace)).toEqual(['x']);
    expect(await cluster.read(resources.secrets, { namespace: copyNamespace, name: 'claimed' })).toBeDefined();
    expect(await cluster.read(resources.namespaces, { name: copyNamespace })).toBeDefined();
    await eventually(() => {
      expect(running.events.map(({ event }) => event.reason)).toContain('WithdrawnObjectsDeleted');
    });
  });

  it.each([
    ['of another consumer', { 'kube-bind.io/cluster-namespace': 'kube-bind-other' }],
    ['of another place', { 'kube-bind.io/consumer-namespace': 'kube-system' }],
    ['without the uid of an object', { 'kube-bind.io/consumer-uid': '' }],
    ['without a consumer cluster, as from a Go konnector', { 'hawser.dev/consumer-identity': '' }],
  ])('does not delete a copy with marks %s, and says so', async (_what, tampered) => {
    const { consumer, copyNamespace } = await bind(Delete);
    await isGuarded(consumer);
    await copy(copyNamespace, 'a', marks(consumer));
    await copy(copyNamespace, 'tampered', marks(consumer, tampered));
    await remove(consumer);
    expect((await held(consumer, 'OwnershipUnproven')).message).toContain(
      `1 copy cannot be proven to be this consumer's`,
    );
    await eventually(async () => {
      expect(await names(copyNamespace)).toEqual(['tampered']);
    });
    expect(await deletionsIn(copyNamespace)).toBe(1);
    await annotate(consumer, { 'hawser.dev/withdrawn-objects': 'Keep' });
    await isGone(consumer);
    expect(await names(copyNamespace)).toEqual(['tampered']);
  });

  it('deletes nothing where two consumer clusters use one cluster namespace', async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    await isGuarded(consumer);
    await copy(copyNamespace, 'a', marks(consumer));
    await copy(copyNamespace, 'b', marks(consumer, { 'hawser.dev/consumer-identity': 'another' }));
    await remove(consumer);
    expect((await held(consumer, 'OwnershipUnproven')).message).toContain('several consumer clusters');
    expect(await deletionsIn(copyNamespace)).toBe(0);
    await annotate(consumer, { 'hawser.dev/release': 'enough' });
    await isGone(consumer);
    expect(await names(copyNamespace)).toEqual(['a', 'b']);
  });

  it("does not take a namespace for the consumer's because copies in it say so", async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    const other = await bind();
    await isGuarded(consumer);
    await copy(copyNamespace, 'a', marks(consumer));
    await copy(other.copyNamespace, 'forged', marks(consumer));
    await cluster.client.create(resources.apiServiceNamespaces, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: { namespace: consumer, name: 'team' },
    });
    await cluster.client.patch(
      resources.apiServiceNamespaces,
      { namespace: consumer, name: 'team' },
      { type: 'merge', patch: { status: { namespace: other.copyNamespace } } },
      { subresource: 'status' },
    );
    await remove(consumer);
    await isGone(consumer);
    expect(await names(copyNamespace)).toEqual([]);
    expect(await names(other.copyNamespace)).toEqual(['forged']);
  });

  it('deletes cluster-scoped copies by prefix and mark, and neither alone is enough', async () => {
    databases = await provide('zones', 'Cluster');
    const { consumer } = await bind(Delete, 'zones');
    const zone = (name: string, of: string): Promise<KubeObject> =>
      cluster.client.create(databases, {
        apiVersion: `${group}/v1`,
        kind: 'zones',
        metadata: { name, annotations: { ...marks(of), 'kube-bind.io/consumer-namespace': '' } },
      });
    await isGuarded(consumer);
    await zone(`${consumer}-a`, consumer);
    await zone(`${consumer}-b`, 'another-consumer');
    await zone('elsewhere', consumer);
    await remove(consumer);
    expect((await held(consumer, 'OwnershipUnproven')).message).toContain(`zones.${group} elsewhere`);
    await eventually(async () => {
      expect((await cluster.client.list(databases)).items.map(({ metadata }) => metadata.name)).toEqual([
        'elsewhere',
        `${consumer}-b`,
      ]);
    });
  });

  it('holds all of them where there are many, until exactly these are approved', async () => {
    const { consumer, copyNamespace } = await bind();
    for (const name of ['a', 'b', 'c', 'd']) await copy(copyNamespace, name, marks(consumer));
    await annotate(consumer, { 'hawser.dev/withdrawn': 'RequestDeleted', ...Delete });
    const token = (condition: Condition): string => /approve-deletions=(\S+)/u.exec(condition.message ?? '')?.[1] ?? '';
    const first = token(await held(consumer, 'TooManyWithdrawnObjects'));
    await copy(copyNamespace, 'e', marks(consumer));
    await eventually(async () => {
      expect(token(await held(consumer, 'TooManyWithdrawnObjects'))).not.toBe(first);
    });
    await annotate(consumer, { 'hawser.dev/approve-deletions': first });
    await cluster.settledWrites();
    expect(await names(copyNamespace)).toHaveLength(5);
    // Not after a restart either.
    await running.stop();
    await start();
    const second = token(await held(consumer, 'TooManyWithdrawnObjects'));
    await annotate(consumer, { 'hawser.dev/approve-deletions': second });
    await eventually(async () => {
      expect(await names(copyNamespace)).toEqual([]);
    });
    await eventually(async () => {
      expect(getCondition((await exportOf(consumer))?.status?.conditions, 'DeletionsHeld')).toBeUndefined();
    });
    expect(await exportOf(consumer)).toBeDefined();
  });

  it('deletes nothing that another export of the consumer stands for, nor what is bound again in time', async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    await isGuarded(consumer);
    await copy(copyNamespace, 'a', marks(consumer));
    await cluster.client.create(resources.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: { name: 'second', namespace: consumer },
      spec: {
        resources: [{ group, resource: 'databases', versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation: 'Prefixed',
      },
    } as UnstructuredObject);
    await remove(consumer);
    await isGone(consumer);
    expect(await names(copyNamespace)).toEqual(['a']);
    expect(await left(consumer)).toBeUndefined();

    await running.stop();
    await start({ graceMs: 600_000 });
    const late = await bind(Delete);
    await isGuarded(late.consumer);
    await copy(late.copyNamespace, 'a', marks(late.consumer));
    await annotate(late.consumer, { 'hawser.dev/withdrawn': 'Unbound' });
    await reportsLeft(late.consumer, '1 copy');
    await annotate(late.consumer, { 'hawser.dev/withdrawn': null });
    await reportsNothingLeft(late.consumer);
    expect(await names(late.copyNamespace)).toEqual(['a']);
  });

  it('stops where the export is bound again while its copies go', async () => {
    await running.stop();
    await start({ deletionsPerMinute: 1_000 });
    const { consumer, copyNamespace } = await bind(Delete);
    await isGuarded(consumer);
    const all = Array.from({ length: 200 }, (_, at) => `copy-${at}`);
    await Promise.all(all.map((name) => copy(copyNamespace, name, marks(consumer))));
    await annotate(consumer, { 'hawser.dev/withdrawn': 'RequestDeleted' });
    await eventually(async () => {
      expect((await names(copyNamespace)).length).toBeLessThan(all.length);
    });
    await annotate(consumer, { 'hawser.dev/withdrawn': null });
    await cluster.settledWrites();
    expect((await names(copyNamespace)).length).toBeGreaterThan(0);
  });

  it('takes an unknown word for Keep, and says so; and leaves alone what went with its cluster namespace', async () => {
    await running.stop();
    await start({ policy: 'Delete' });
    const { consumer, copyNamespace } = await bind({ 'hawser.dev/withdrawn-objects': 'delete' });
    const guarded = await bind();
    await isGuarded(guarded.consumer);
    expect(await held(consumer, 'UnknownPolicyValue', 'PoliciesValid')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('"delete"') as unknown,
    });
    await copy(copyNamespace, 'a', marks(consumer));
    await copy(guarded.copyNamespace, 'a', marks(guarded.consumer));
    await remove(consumer);
    await isGone(consumer);
    await reportsLeft(consumer, '1 copy');
    expect(await names(copyNamespace)).toEqual(['a']);

    await cluster.client.delete(resources.namespaces, { name: guarded.consumer });
    await remove(guarded.consumer);
    await isGone(guarded.consumer);
    expect(await names(guarded.copyNamespace)).toEqual(['a']);
  });

  it('says that it may not delete', async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    await isGuarded(consumer);
    await copy(copyNamespace, 'a', marks(consumer));
    await cluster.client.create(
      { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: group },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [{ apiGroups: [group], apiVersions: ['*'], resources: ['*'], operations: ['DELETE'] }],
          },
          validations: [{ expression: 'false', message: 'not today' }],
        },
      } as UnstructuredObject,
    );
    await cluster.client.create(
      { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicybindings' },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: group },
        spec: { policyName: group, validationActions: ['Deny'] },
      } as UnstructuredObject,
    );
    await eventually(async () => {
      await expect(
        cluster.client.delete(databases, { namespace: copyNamespace, name: 'a' }, { dryRun: true }),
      ).rejects.toThrow('not today');
    });
    await remove(consumer);
    expect((await held(consumer, 'DeletionRefused')).message).toContain('not today');
    expect(await names(copyNamespace)).toEqual(['a']);
    await cluster.client.delete(
      { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicybindings' },
      { name: group },
    );
    await isGone(consumer);
    expect(await names(copyNamespace)).toEqual([]);
  });
});
