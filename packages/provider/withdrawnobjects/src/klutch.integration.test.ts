import type { KubeObject, Resource, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type APIServiceExport, type ClusterBinding, installCRDs, klutchDialect, providerCRDs } from '@hawser/klutch';
import { type Condition, getCondition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { rights } from './testing/rights.js';
import { createWithdrawnObjectsController } from './withdrawn-objects-controller.js';

const { apiVersion, apiGroup, resources: kinds } = klutchDialect;
const Delete = { 'hawser.dev/withdrawn-objects': 'Delete' };

describeWithControlPlane('createWithdrawnObjectsController for Klutch', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let group: string;
  let databases: Resource;

  const start = async (): Promise<void> => {
    running = await cluster.run(
      createWithdrawnObjectsController({
        dialect: klutchDialect,
        graceMs: 100,
        deletionsPerMinute: 3,
        recheckMs: 500,
        goneCheckMs: 100,
      }),
    );
  };
  beforeAll(async () => {
    cluster = await openProviderCluster([
      ...rights(apiGroup),
      {
        apiGroups: [kinds.apiServiceExportTemplates.group],
        resources: ['apiserviceexporttemplates'],
        verbs: ['get', 'list', 'watch'],
      },
    ]);
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    group = uniqueGroup('withdrawn');
    databases = await provide('databases', 'Namespaced');
    await start();
  });
  afterEach(() => running.stop());

  const crdName = (plural: string): string => `${plural}.${group}`;
  const make = (resource: Resource, object: object): Promise<KubeObject> =>
    cluster.client.create(resource, object as UnstructuredObject);
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  ];
  const provide = async (plural: string, scope: string): Promise<Resource> => {
    await make(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: crdName(plural) },
      spec: {
        group,
        scope,
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions,
      },
    });
    await make(kinds.apiServiceExportTemplates, {
      apiVersion: `${kinds.apiServiceExportTemplates.group}/v1alpha1`,
      kind: 'APIServiceExportTemplate',
      metadata: { namespace: 'default', name: crdName(plural) },
      spec: { APIServiceSelector: { group, resource: plural } },
    });
    await cluster.grant([{ apiGroups: [group], resources: [plural], verbs: ['list', 'delete'] }]);
    await eventually(async () => {
      await cluster.client.list({ group, version: 'v1', resource: plural });
    });
    return { group, version: 'v1', resource: plural };
  };
  /** A consumer with an export, and the namespace that stands for its namespace `team`. */
  const bind = async (
    annotations: Readonly<Record<string, string>> = {},
    plural = 'databases',
    scope = 'Namespaced',
  ): Promise<{ readonly consumer: string; readonly copyNamespace: string }> => {
    const consumer = uniqueNamespace('cluster');
    const copyNamespace = `${consumer}-team`;
    await make(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: consumer, annotations: { 'example-backend.klutch.anynines.com/identity': `jane#${consumer}` } },
    });
    await make(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: copyNamespace,
        annotations: { 'klutch.anynines.com/api-service-namespace': `${consumer}/team` },
      },
    });
    await make(kinds.clusterBindings, {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { name: 'cluster', namespace: consumer },
      spec: { providerPrettyName: 'Lab', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    });
    await make(kinds.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: { name: crdName(plural), namespace: consumer, annotations },
      spec: { group, names: { plural, kind: plural }, scope, versions, informerScope: 'Namespaced' },
    });
    return { consumer, copyNamespace };
  };
  /** As our konnector marks a copy: in Klutch it does not name its consumer, the place does. */
  const marks = (consumer: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
    'klutch.anynines.com/bound': 'true',
    'hawser.dev/consumer-uid': 'u',
    'hawser.dev/consumer-identity': `cluster-of-${consumer}`,
    ...more,
  });
  const copy = (
    namespace: string | undefined,
    name: string,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<KubeObject> =>
    make(databases, {
      apiVersion: `${group}/v1`,
      kind: databases.resource,
      metadata: { ...(namespace === undefined ? {} : { namespace }), name, annotations },
    });
  const names = async (namespace?: string): Promise<readonly string[]> =>
    (await cluster.client.list(databases, namespace === undefined ? {} : { namespace })).items
      .map(({ metadata }) => metadata.name)
      .sort();
  const keyOf = (consumer: string, plural: string): { readonly namespace: string; readonly name: string } => ({
    namespace: consumer,
    name: crdName(plural),
  });
  const exportOf = (consumer: string, plural = 'databases'): Promise<APIServiceExport | undefined> =>
    cluster.read(kinds.apiServiceExports, keyOf(consumer, plural));
  const annotate = (consumer: string, annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    cluster.client.patch(kinds.apiServiceExports, keyOf(consumer, 'databases'), {
      type: 'merge',
      patch: { metadata: { annotations } },
    });
  const remove = (consumer: string, plural = 'databases'): Promise<unknown> =>
    cluster.client.delete(kinds.apiServiceExports, keyOf(consumer, plural));
  const isGuarded = (consumer: string, plural = 'databases'): Promise<unknown> =>
    eventually(async () => {
      expect((await exportOf(consumer, plural))?.metadata.finalizers).toEqual(['hawser.dev/withdrawn-objects']);
    });
  const isGone = (consumer: string): Promise<unknown> =>
    eventually(async () => {
      expect(await exportOf(consumer)).toBeUndefined();
    });
  const left = async (consumer: string): Promise<Condition | undefined> =>
    getCondition(
      (await cluster.read<ClusterBinding>(kinds.clusterBindings, { namespace: consumer, name: 'cluster' }))?.status
        ?.conditions,
      'ObjectsLeft',
    );
  const reportsLeft = (consumer: string, words: string): Promise<unknown> =>
    eventually(async () => {
      expect((await left(consumer))?.message).toContain(words);
    });
  const unproven = (consumer: string, plural = 'databases'): Promise<string> =>
    eventually(async () => {
      const condition = getCondition((await exportOf(consumer, plural))?.status?.conditions, 'DeletionsHeld');
      expect(condition).toMatchObject({ reason: 'OwnershipUnproven' });
      return condition?.message ?? '';
    });

  it('keeps and counts what is marked as bound, of an export that is withdrawn and of one that is gone, which only its template remembers', async () => {
    const { consumer, copyNamespace } = await bind();
    const other = await bind();
    for (const name of ['a', 'b']) await copy(copyNamespace, name, marks(consumer));
    // As a Klutch konnector leaves a copy.
    await copy(copyNamespace, 'of-klutch', { 'klutch.anynines.com/bound': 'true' });
    await copy(copyNamespace, 'made-by-the-provider');
    await copy(other.copyNamespace, 'x', marks(other.consumer));
    await annotate(consumer, { 'hawser.dev/withdrawn': 'Unbound' });
    await reportsLeft(
      consumer,
      `3 copies of this consumer are left of exports that have ended: 3 ${crdName('databases')} (${copyNamespace}/a, ${copyNamespace}/b, ${copyNamespace}/of-klutch).`,
    );
    await eventually(() => {
      expect(running.events).toContainEqual(
        expect.objectContaining({
          regarding: expect.objectContaining({ apiVersion, kind: 'ClusterBinding' }) as unknown,
          event: expect.objectContaining({ reason: 'ExportsEnded' }) as unknown,
        }),
      );
    });
    await annotate(consumer, { 'hawser.dev/withdrawn': null });
    await eventually(async () => {
      expect(await left(consumer)).toBeUndefined();
    });
    await remove(consumer);
    await isGone(consumer);
    await reportsLeft(consumer, '3 copies');
    await running.stop();
    await start();
    await cluster.client.delete(databases, { namespace: copyNamespace, name: 'of-klutch' });
    await reportsLeft(consumer, '2 copies');
    expect(await left(other.consumer)).toBeUndefined();
    expect(await names(copyNamespace)).toEqual(['a', 'b', 'made-by-the-provider']);
    expect(
      (await cluster.settledWrites()).filter(({ verb, namespace }) => verb === 'delete' && namespace === copyNamespace),
    ).toEqual([]);
  });

  it('deletes the copies of a deleted export and of nobody else, and names those that do not say of which cluster they are', async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    const other = await bind(Delete);
    await isGuarded(consumer);
    for (const name of ['a', 'b']) await copy(copyNamespace, name, marks(consumer));
    // Which object it is the copy of a konnector of Klutch does not say, and need not.
    await copy(copyNamespace, 'c', marks(consumer, { 'hawser.dev/consumer-uid': '' }));
    await copy(copyNamespace, 'of-klutch', { 'klutch.anynines.com/bound': 'true' });
    await copy(copyNamespace, 'made-by-the-provider');
    await copy(other.copyNamespace, 'x', marks(other.consumer));
    await make(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: copyNamespace,
        name: 'claimed',
        annotations: { ...marks(consumer), 'klutch.anynines.com/resource-owner': 'Consumer' },
      },
    });
    await remove(consumer);
    const message = await unproven(consumer);
    expect(message).toContain(`1 copy cannot be proven to be this consumer's`);
    expect(message).toContain(`${copyNamespace}/of-klutch`);
    await eventually(async () => {
      expect(await names(copyNamespace)).toEqual(['made-by-the-provider', 'of-klutch']);
    });
    expect((await exportOf(consumer))?.metadata.deletionTimestamp).toBeDefined();
    await cluster.client.delete(databases, { namespace: copyNamespace, name: 'of-klutch' });
    await isGone(consumer);
    await eventually(async () => {
      expect(await left(consumer)).toBeUndefined();
    });
    expect(await names(copyNamespace)).toEqual(['made-by-the-provider']);
    expect(await names(other.copyNamespace)).toEqual(['x']);
    expect(await exportOf(other.consumer)).toBeDefined();
    expect(await cluster.read(resources.secrets, { namespace: copyNamespace, name: 'claimed' })).toBeDefined();
    expect(await cluster.read(resources.namespaces, { name: copyNamespace })).toBeDefined();
    await eventually(() => {
      expect(running.events.map(({ event }) => event.reason)).toContain('WithdrawnObjectsDeleted');
    });
  });

  it("takes no namespace for the consumer's whose annotation of Klutch does not say so, whatever is in it", async () => {
    const { consumer, copyNamespace } = await bind(Delete);
    const other = await bind();
    await isGuarded(consumer);
    // It has the name that Klutch would give it; of the two annotations that it might have, that of kube-bind is another dialect's.
    const named = `${consumer}-named`;
    const ofKubeBind = `${consumer}-foreign`;
    await make(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: named } });
    await make(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: ofKubeBind, annotations: { 'kube-bind.io/api-service-namespace': `${consumer}/foreign` } },
    });
    await copy(copyNamespace, 'a', marks(consumer));
    for (const namespace of [named, ofKubeBind, other.copyNamespace]) await copy(namespace, 'forged', marks(consumer));
    await make(kinds.apiServiceNamespaces, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: { namespace: consumer, name: 'team' },
    });
    await cluster.client.patch(
      kinds.apiServiceNamespaces,
      { namespace: consumer, name: 'team' },
      { type: 'merge', patch: { status: { namespace: other.copyNamespace } } },
      { subresource: 'status' },
    );
    await remove(consumer);
    await isGone(consumer);
    expect(await names(copyNamespace)).toEqual([]);
    for (const namespace of [named, ofKubeBind, other.copyNamespace])
      expect(await names(namespace)).toEqual(['forged']);
  });

  it('deletes cluster-scoped copies by prefix and annotation, and neither alone is enough', async () => {
    databases = await provide('zones', 'Cluster');
    const { consumer } = await bind(Delete, 'zones', 'Cluster');
    const zone = (name: string, of: string): Promise<KubeObject> =>
      copy(undefined, name, { ...marks(of), 'klutch.anynines.com/cluster-namespace': of });
    await isGuarded(consumer, 'zones');
    await zone(`${consumer}-a`, consumer);
    await zone(`${consumer}-b`, 'another-consumer');
    await zone('elsewhere', consumer);
    await remove(consumer, 'zones');
    expect(await unproven(consumer, 'zones')).toContain(`${crdName('zones')} elsewhere`);
    await eventually(async () => {
      expect(await names()).toEqual([`${consumer}-b`, 'elsewhere']);
    });
  });
});
