import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createInlineExportControllers } from '@hawser/exportrequest';
import {
  type APIServiceExport,
  boundSchemaSpecOf,
  exportHash,
  inlineSpecOf,
  installCRDs,
  klutchDialect,
  providerCRDs,
} from '@hawser/klutch';
import { type Condition, getCondition, resources, schemaAppliedCondition, schemaHash } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { inlineRights } from '../../exportrequest/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createPropagationController } from './propagation-controller.js';
import { addSchemaDecision, schemaStandings } from './standings.js';
import { klutchRights } from './testing/rights.js';

const kinds = klutchDialect.resources;
const apiVersion = klutchDialect.apiVersion;
type Schema = Readonly<Record<string, unknown>>;

describeWithControlPlane('createPropagationController for Klutch', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let group: string;

  const start = async (): Promise<void> => {
    running = await cluster.run(
      ...createInlineExportControllers({ informerScope: 'Cluster' }),
      createPropagationController({ dialect: klutchDialect, recheckMs: 1_000 }),
    );
  };
  beforeAll(async () => {
    cluster = await openProviderCluster([...inlineRights, ...klutchRights]);
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    group = uniqueGroup('klutch');
    await start();
  });
  afterEach(() => running.stop());

  const name = (): string => `databases.${group}`;
  const versions = (size: Schema): unknown => [
    {
      name: 'v1',
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size } } } } },
    },
  ];
  const provide = async (size: Schema, scope = 'Namespaced'): Promise<void> => {
    await cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: name() },
      spec: {
        group,
        scope,
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: versions(size),
      },
    } as UnstructuredObject);
  };
  const offer = async (): Promise<void> => {
    await cluster.grant([{ apiGroups: [group], resources: ['*'], verbs: ['list'] }]);
    await cluster.client.create(kinds.apiServiceExportTemplates, {
      apiVersion: 'example-backend.klutch.anynines.com/v1alpha1',
      kind: 'APIServiceExportTemplate',
      metadata: { namespace: 'default', name: name() },
      spec: { APIServiceSelector: { group, resource: 'databases' } },
    } as UnstructuredObject);
  };
  const change = async (size: Schema): Promise<void> => {
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: name() },
      { type: 'merge', patch: { spec: { versions: versions(size) } } },
    );
  };
  const bind = async (annotations: Readonly<Record<string, string>> = {}): Promise<string> => {
    const namespace = uniqueNamespace('cluster');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await cluster.client.create(kinds.apiServiceExportRequests, {
      apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: { name: 'db', namespace },
      spec: { resources: [{ group, resource: 'databases' }] },
    } as UnstructuredObject);
    await eventually(async () => {
      expect(getCondition((await exportOf(namespace)).status?.conditions, 'ProviderInSync')?.status).toBe('True');
    });
    if (Object.keys(annotations).length > 0) await annotate(namespace, annotations);
    return namespace;
  };
  const exportOf = (namespace: string): Promise<APIServiceExport> =>
    cluster.client.get(kinds.apiServiceExports, { namespace, name: name() });
  const annotate = async (namespace: string, annotations: Readonly<Record<string, string | null>>): Promise<void> => {
    await cluster.client.patch(
      kinds.apiServiceExports,
      { namespace, name: name() },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  };
  const sizeOf = async (namespace: string): Promise<unknown> =>
    (
      (await exportOf(namespace)).spec.versions[0]?.schema.openAPIV3Schema as {
        properties: { spec: { properties: { size: unknown } } };
      }
    ).properties.spec.properties.size;
  const has = (namespace: string, size: Schema): Promise<unknown> =>
    eventually(async () => {
      expect(await sizeOf(namespace)).toEqual(size);
    });
  const held = async (namespace: string): Promise<Condition | undefined> =>
    getCondition((await exportOf(namespace)).status?.conditions, 'SchemaUpdateHeld');
  const isHeld = (namespace: string, reason: string): Promise<Condition> =>
    eventually(async () => {
      const condition = await held(namespace);
      expect(condition).toMatchObject({ status: 'True', reason });
      return condition as Condition;
    });
  const isFree = (namespace: string): Promise<unknown> =>
    eventually(async () => {
      expect(await held(namespace)).toBeUndefined();
    });
  const standing = async (namespace: string) =>
    (await schemaStandings(cluster.client, { dialect: klutchDialect, export: `${namespace}/${name()}` }))[0];
  /** As a konnector of ours reports. */
  const report = async (namespace: string, kind: 'applied' | 'refused'): Promise<void> => {
    const hash = schemaHash(boundSchemaSpecOf(await exportOf(namespace)));
    const condition = {
      ...schemaAppliedCondition(
        kind === 'applied'
          ? { kind, hash }
          : { kind, hash, reason: 'CustomResourceDefinitionUpdateFailed', message: 'no' },
      ),
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const others = ((await exportOf(namespace)).status?.conditions ?? []).filter(
      ({ type }) => type !== 'SchemaApplied',
    );
    await cluster.client.patch(
      kinds.apiServiceExports,
      { namespace, name: name() },
      { type: 'merge', patch: { status: { conditions: [...others, condition] } } },
      { subresource: 'status' },
    );
  };

  it('carries a safe change with one write, keeps what else the export says, and repairs what was edited by hand', async () => {
    await provide({ type: 'integer', maximum: 5 });
    await offer();
    const one = await bind();
    const before = await exportOf(one);
    const writes = (await cluster.settledWrites()).length;
    await change({ type: 'integer', maximum: 9 });
    await has(one, { type: 'integer', maximum: 9 });
    expect(
      (await cluster.settledWrites())
        .slice(writes)
        .map(({ verb, resource, subresource }) => [verb, resource, subresource ?? ''].join(' ').trim()),
    ).toEqual(['patch apiserviceexports']);
    const after = await exportOf(one);
    expect({ ...after.spec, versions: [] }).toEqual({ ...before.spec, versions: [] });
    expect(after.metadata.annotations?.['klutch.anynines.com/source-spec-hash']).toBe(exportHash(inlineSpecOf(after)));
    expect(await standing(one)).toMatchObject({ dialect: 'klutch', state: 'InStep', changes: [] });
    await cluster.client.patch(kinds.apiServiceExports, { namespace: one, name: name() }, {
      type: 'merge',
      patch: { spec: { versions: versions({ type: 'integer', maximum: 3 }) } },
    } as never);
    await has(one, { type: 'integer', maximum: 9 });
  });

  it('holds what breaks something until just that is approved, and what stored objects do not fit', async () => {
    await provide({ type: 'integer' });
    await offer();
    const one = await bind();
    await change({ type: 'integer', maximum: 9 });
    expect((await isHeld(one, 'BreakingSchemaChange')).message).toContain('hawser schema approve');
    const waiting = await standing(one);
    expect(waiting).toMatchObject({
      state: 'Held',
      reason: 'BreakingSchemaChange',
      approvable: true,
      changes: [{ kind: 'bounds-narrowed', path: 'spec.size' }],
    });
    await addSchemaDecision(cluster.client, 'approve', { dialect: 'klutch', namespace: one, name: name() }, [
      waiting?.candidate ?? '',
    ]);
    await has(one, { type: 'integer', maximum: 9 });
    await isFree(one);

    // Of an object of before, which is not read again by its update. In Klutch it does not name its consumer: the namespace does.
    const teamNamespace = uniqueNamespace('team');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: teamNamespace },
    });
    await cluster.client.create(kinds.apiServiceNamespaces, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: { namespace: one, name: 'team' },
    });
    await cluster.client.patch(
      kinds.apiServiceNamespaces,
      { namespace: one, name: 'team' },
      { type: 'merge', patch: { status: { namespace: teamNamespace } } },
      { subresource: 'status' },
    );
    const databases = { group, version: 'v1', resource: 'databases' };
    await change({ type: 'integer' });
    await has(one, { type: 'integer' });
    await cluster.client.create(databases, {
      apiVersion: `${group}/v1`,
      kind: 'Database',
      metadata: { namespace: teamNamespace, name: 'x', annotations: { 'klutch.anynines.com/bound': 'true' } },
      spec: { size: 70 },
    } as UnstructuredObject);
    await change({ type: 'integer', maximum: 9 });
    await has(one, { type: 'integer', maximum: 9 });
    // Safe by its shape, and yet the object could not be created.
    await change({ type: 'integer', maximum: 10 });
    expect((await isHeld(one, 'StoredObjectsInvalid')).message).toContain(`${teamNamespace}/x`);
    expect(await sizeOf(one)).toEqual({ type: 'integer', maximum: 9 });
    await cluster.client.delete(databases, { namespace: teamNamespace, name: 'x' });
    await has(one, { type: 'integer', maximum: 10 });
    await isFree(one);
  });

  it('keeps the export of a CRD that is gone, and refuses one that comes back with another scope', async () => {
    await provide({ type: 'integer' });
    await offer();
    const one = await bind();
    await cluster.client.delete(resources.customResourceDefinitions, { name: name() });
    await isHeld(one, 'SchemaSourceGone');
    await eventually(async () => {
      expect(await cluster.read<KubeObject>(resources.customResourceDefinitions, { name: name() })).toBeUndefined();
    });
    await provide({ type: 'integer' }, 'Cluster');
    await isHeld(one, 'IncompatibleSchemaChange');
    expect(await sizeOf(one)).toEqual({ type: 'integer' });
  });

  it('rolls out in steps as konnectors report, stops at one that cannot, and takes back what is rejected', async () => {
    await provide({ type: 'integer', maximum: 5 });
    await offer();
    const rollout = { 'hawser.dev/schema-rollout': '50%,100%' };
    const consumers = [await bind(rollout), await bind(rollout)];
    const reached = async (maximum: number): Promise<readonly string[]> => {
      const all = await Promise.all(consumers.map(async (consumer) => [consumer, await sizeOf(consumer)] as const));
      return all.filter(([, size]) => (size as { maximum?: number }).maximum === maximum).map(([consumer]) => consumer);
    };
    await change({ type: 'integer', maximum: 9 });
    await eventually(async () => {
      expect(await reached(9)).toHaveLength(1);
    });
    const [first = ''] = await reached(9);
    const second = consumers.find((consumer) => consumer !== first) ?? '';
    await isHeld(second, 'RolloutWaits');
    await report(first, 'refused');
    await isHeld(second, 'RolloutStopped');
    expect((await standing(first))?.state).toBe('Refused');
    const hash = (await standing(first))?.hash ?? '';
    await addSchemaDecision(cluster.client, 'reject', { dialect: 'klutch', namespace: first, name: name() }, [hash]);
    await has(first, { type: 'integer', maximum: 5 });
    await isHeld(first, 'SchemaRolledBack');
    const back = await exportOf(first);
    expect(back.metadata.annotations?.['klutch.anynines.com/source-spec-hash']).toBe(exportHash(inlineSpecOf(back)));
    await annotate(first, { 'hawser.dev/schema-rejected': null });
    await has(first, { type: 'integer', maximum: 9 });
    await report(first, 'applied');
    await has(second, { type: 'integer', maximum: 9 });
    await isFree(second);
  });
});
