import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { createExportController, createExportRequestController } from '@hawser/exportrequest';
import {
  type APIServiceExport,
  type BoundSchema,
  type Condition,
  getCondition,
  kubeBindDialect,
  resources,
  schemaHash,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { rights as requestRights } from '../../exportrequest/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createPropagationController } from './propagation-controller.js';
import { addSchemaDecision, schemaStandings } from './standings.js';
import { rights } from './testing/rights.js';

type Schema = Readonly<Record<string, unknown>>;

describeWithControlPlane('createPropagationController', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let group: string;

  const start = async (): Promise<void> => {
    running = await cluster.run(
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', carriesSchemas: false }),
      createExportController(),
      createPropagationController({ dialect: kubeBindDialect, recheckMs: 1_000 }),
    );
  };
  beforeAll(async () => {
    cluster = await openProviderCluster([...requestRights, ...rights]);
    await start();
  });
  afterAll(() => cluster.close());
  beforeEach(() => {
    group = uniqueGroup('propagation');
  });

  const crdName = (): string => `databases.${group}`;
  const versions = (size: Schema): unknown => [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size } } } } },
    },
  ];
  const provide = async (size: Schema, scope = 'Namespaced'): Promise<void> => {
    await cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: crdName(), labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope,
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: versions(size),
      },
    } as UnstructuredObject);
    await cluster.grant([{ apiGroups: [group], resources: ['*'], verbs: ['get', 'list'] }]);
  };
  const change = async (size: Schema): Promise<void> => {
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: crdName() },
      { type: 'merge', patch: { spec: { versions: versions(size) } } },
    );
  };
  const bind = async (annotations: Readonly<Record<string, string>> = {}): Promise<string> => {
    const namespace = uniqueNamespace('kube-bind');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await cluster.client.create(resources.apiServiceExportRequests, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: { name: 'db', namespace },
      spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }], namespaces: [{ name: 'team' }] },
    } as UnstructuredObject);
    await eventually(async () => {
      expect(getCondition((await exportOf(namespace))?.status?.conditions, 'ProviderInSync')?.status).toBe('True');
    });
    if (Object.keys(annotations).length > 0) await annotate(namespace, annotations);
    return namespace;
  };
  const exportOf = (namespace: string): Promise<APIServiceExport | undefined> =>
    cluster.read(resources.apiServiceExports, { namespace, name: 'db' });
  const annotate = async (namespace: string, annotations: Readonly<Record<string, string | null>>): Promise<void> => {
    await cluster.client.patch(
      resources.apiServiceExports,
      { namespace, name: 'db' },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  };
  const schemaOf = async (namespace: string): Promise<BoundSchema> => {
    const found = await cluster.read<BoundSchema>(resources.boundSchemas, { namespace, name: crdName() });
    if (found === undefined) throw new Error('expected a BoundSchema');
    return found;
  };
  const sizeOf = async (namespace: string): Promise<unknown> => {
    const [version] = (await schemaOf(namespace)).spec?.versions ?? [];
    return (version?.schema as { openAPIV3Schema: { properties: { spec: { properties: { size: unknown } } } } })
      .openAPIV3Schema.properties.spec.properties.size;
  };
  const has = (namespace: string, size: Schema): Promise<unknown> =>
    eventually(async () => {
      expect(await sizeOf(namespace)).toEqual(size);
    });
  const held = async (namespace: string): Promise<Condition | undefined> =>
    getCondition((await exportOf(namespace))?.status?.conditions, 'SchemaUpdateHeld');
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
  const writesIn = async (namespace: string): Promise<readonly string[]> =>
    (await cluster.settledWrites())
      .filter((write) => write.namespace === namespace)
      .map(
        ({ verb, resource, subresource }) => `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`,
      );
  const report = async (namespace: string, status: 'True' | 'False' = 'True'): Promise<void> => {
    const schema = await schemaOf(namespace);
    const hash = schemaHash(schema.spec as never);
    const condition = {
      type: 'SchemaApplied',
      status,
      reason: status === 'True' ? hash : 'CustomResourceDefinitionUpdateFailed',
      message: status === 'True' ? '' : `Schema ${hash}: no`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await cluster.client.patch(
      resources.boundSchemas,
      { namespace, name: crdName() },
      { type: 'merge', patch: { status: { conditions: [condition] } } },
      { subresource: 'status' },
    );
  };

  it('carries a safe change to every consumer at once, with two writes for each, and none when nothing has changed', async () => {
    await provide({ type: 'integer', maximum: 5 });
    const consumers = [await bind(), await bind(), await bind()];
    const before = await Promise.all(consumers.map(writesIn));
    await change({ type: 'integer', maximum: 9 });
    for (const [at, consumer] of consumers.entries()) {
      await has(consumer, { type: 'integer', maximum: 9 });
      await eventually(async () => {
        const [object, schema] = [await exportOf(consumer), await schemaOf(consumer)];
        expect(object?.metadata.annotations?.['kube-bind.io/source-spec-hash']).toBe(schemaHash(schema.spec as never));
      });
      // A write is in the audit log when it has been answered: the export's may be before that of the schema it follows from.
      const writes = (await writesIn(consumer)).slice(before[at]?.length);
      expect(writes.sort()).toEqual(['patch apiserviceexports', 'patch boundschemas']);
    }
    const settled = (await cluster.settledWrites()).length;
    await running.stop();
    await start();
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: crdName() },
      { type: 'merge', patch: { metadata: { annotations: { touched: 'yes' } } } },
    );
    expect((await cluster.settledWrites()).length).toBe(settled);
  });

  it('holds a breaking change until just that one is approved, and tells by condition and Event', async () => {
    await provide({ type: 'integer', maximum: 9 });
    const [one, other] = [await bind(), await bind({ 'hawser.dev/schema-update': 'Always' })];
    await change({ type: 'integer', maximum: 5 });
    const condition = await isHeld(one, 'BreakingSchemaChange');
    expect(condition.message).toContain('v1: spec.size: may be no more than 5, was 9');
    await has(other, { type: 'integer', maximum: 5 });
    expect(
      running.events.filter(({ regarding }) => regarding.namespace === one).map(({ event }) => event.reason),
    ).toEqual(['BreakingSchemaChange']);
    expect(await sizeOf(one)).toEqual({ type: 'integer', maximum: 9 });
    const hash = /hawser\.dev\/schema-approved=([0-9a-f]{64})/u.exec(condition.message ?? '')?.[1] ?? '';
    await change({ type: 'integer', maximum: 4 });
    await eventually(async () => {
      expect((await held(one))?.message).toContain('no more than 4');
    });
    await annotate(one, { 'hawser.dev/schema-approved': hash });
    await cluster.settledWrites();
    expect(await held(one)).toMatchObject({ reason: 'BreakingSchemaChange' });
    await change({ type: 'integer', maximum: 5 });
    await has(one, { type: 'integer', maximum: 5 });
    await isFree(one);

    // The same from the command line.
    await change({ type: 'integer', maximum: 3 });
    await isHeld(one, 'BreakingSchemaChange');
    const standing = async (namespace: string) =>
      (await schemaStandings(cluster.client, { dialect: kubeBindDialect, export: `${namespace}/db` }))[0];
    const waiting = await standing(one);
    expect(waiting).toMatchObject({
      state: 'Held',
      reason: 'BreakingSchemaChange',
      approvable: true,
      policy: 'Safe',
      consumer: 'unproven',
      changes: [{ kind: 'bounds-narrowed', path: 'spec.size' }],
    });
    expect(
      await addSchemaDecision(cluster.client, 'approve', { namespace: one, name: 'db' }, [waiting?.candidate ?? '']),
    ).toBe('written');
    await has(one, { type: 'integer', maximum: 3 });
    await isFree(one);
    expect(
      await addSchemaDecision(cluster.client, 'approve', { namespace: one, name: 'db' }, [waiting?.candidate ?? '']),
    ).toBe('there');
    expect(await standing(one)).toMatchObject({ state: 'InStep', changes: [], consumer: 'unproven' });
    await report(one, 'False');
    expect(await standing(one)).toMatchObject({ state: 'Refused', consumer: 'refused', message: 'no' });
    expect(await standing(other)).toMatchObject({ state: 'InStep', policy: 'Always' });
    expect(await schemaStandings(cluster.client, { dialect: kubeBindDialect, selector: 'tier=canary' })).toEqual([]);
  });

  it('holds what is safe by its shape but does not fit stored objects of that consumer, until they fit', async () => {
    await provide({ type: 'integer' });
    const [one, other] = [await bind(), await bind()];
    const teamNamespace = uniqueNamespace('team');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: teamNamespace },
    });
    await cluster.client.patch(
      resources.apiServiceNamespaces,
      { namespace: one, name: 'team' },
      { type: 'merge', patch: { status: { namespace: teamNamespace } } },
      { subresource: 'status' },
    );
    const object = { group, version: 'v1', resource: 'databases' };
    const key = { namespace: teamNamespace, name: 'x' };
    await cluster.client.create(object, {
      apiVersion: `${group}/v1`,
      kind: 'Database',
      metadata: { ...key, annotations: { 'kube-bind.io/cluster-namespace': one } },
      spec: { size: 7 },
    } as UnstructuredObject);
    // A default and a rule that the stored object breaks: only the default is told, as a warning, and the rule as breaking. Removed again it is the object alone that speaks.
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: crdName() },
      {
        type: 'merge',
        patch: {
          spec: {
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: {
                      spec: { type: 'object', maxProperties: 1, properties: { size: { type: 'integer' } } },
                    },
                  },
                },
              },
            ],
          },
        },
      },
    );
    await isHeld(one, 'BreakingSchemaChange');
    await annotate(one, {
      'hawser.dev/schema-approved': schemaHash({
        ...(await schemaOf(one)).spec,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', maxProperties: 1, properties: { size: { type: 'integer' } } } },
              },
            },
          },
        ],
      } as never),
    });
    await isFree(one);
    const withDefault = [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                maxProperties: 1,
                properties: { size: { type: 'integer' }, colour: { type: 'string', default: 'red' } },
              },
            },
          },
        },
      },
    ];
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: crdName() },
      { type: 'merge', patch: { spec: { versions: withDefault } } },
    );
    const condition = await isHeld(one, 'StoredObjectsInvalid');
    expect(condition.message).toContain(
      `1 of 1 stored objects could not be created under it: ${teamNamespace}/x (spec: `,
    );
    await cluster.client.delete(object, key);
    await isFree(one);
    await eventually(async () => {
      expect((await schemaOf(one)).spec?.versions[0]?.schema).toEqual(withDefault[0]?.schema);
    });
    // The other never had objects, but the first step was breaking for it too.
    await isHeld(other, 'BreakingSchemaChange');
  });

  it('deletes nothing when a CRD loses its label or goes, and refuses one that comes back with another scope', async () => {
    await provide({ type: 'integer' });
    const one = await bind();
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: crdName() },
      { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': null } } } },
    );
    await isHeld(one, 'SchemaSourceGone');
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: crdName() },
      { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': 'true' } } } },
    );
    await isFree(one);
    await cluster.client.delete(resources.customResourceDefinitions, { name: crdName() });
    await isHeld(one, 'SchemaSourceGone');
    await eventually(async () => {
      expect(await cluster.read<KubeObject>(resources.customResourceDefinitions, { name: crdName() })).toBeUndefined();
    });
    await provide({ type: 'integer' }, 'Cluster');
    const condition = await isHeld(one, 'IncompatibleSchemaChange');
    expect(condition.message).toContain('the scope is Cluster, was Namespaced');
    expect(await sizeOf(one)).toEqual({ type: 'integer' });
  });

  it('rolls out in steps, goes on when konnectors report, stops at the first that fails, and takes back what is rejected', async () => {
    await provide({ type: 'integer', maximum: 5 });
    const consumers: readonly string[] = [
      await bind({ 'hawser.dev/schema-rollout': '25%,100%' }),
      await bind({ 'hawser.dev/schema-rollout': '25%,100%' }),
      await bind({ 'hawser.dev/schema-rollout': '25%,100%' }),
      await bind({ 'hawser.dev/schema-rollout': '25%,100%' }),
    ];
    const reached = async (maximum: number): Promise<readonly string[]> => {
      const all = await Promise.all(consumers.map(async (consumer) => [consumer, await sizeOf(consumer)] as const));
      return all.filter(([, size]) => (size as { maximum?: number }).maximum === maximum).map(([consumer]) => consumer);
    };
    await change({ type: 'integer', maximum: 9 });
    await eventually(async () => {
      expect(await reached(9)).toHaveLength(1);
      for (const consumer of consumers)
        expect((await held(consumer))?.reason).toBe((await reached(9)).includes(consumer) ? undefined : 'RolloutWaits');
    });
    await cluster.settledWrites();
    const [first = ''] = await reached(9);
    await report(first);
    await eventually(async () => {
      expect(await reached(9)).toHaveLength(4);
    });
    for (const consumer of consumers) await isFree(consumer);

    for (const consumer of consumers) await report(consumer);
    await change({ type: 'integer', maximum: 12 });
    await eventually(async () => {
      expect(await reached(12)).toEqual([first]);
    });
    await report(first, 'False');
    const others = consumers.filter((consumer) => consumer !== first);
    const [second = ''] = others;
    for (const other of others) await isHeld(other, 'RolloutStopped');
    const hash = schemaHash((await schemaOf(first)).spec as never);
    expect((await held(second))?.message).not.toContain(first);
    for (const consumer of consumers) await annotate(consumer, { 'hawser.dev/schema-rejected': hash });
    await has(first, { type: 'integer', maximum: 9 });
    for (const consumer of consumers) await isHeld(consumer, 'SchemaRolledBack');
    expect(await reached(9)).toHaveLength(4);

    // Once more, and with a consumer that cannot report.
    for (const consumer of consumers) await annotate(consumer, { 'hawser.dev/schema-rejected': null });
    await eventually(async () => {
      expect(await reached(12)).toEqual([first]);
    });
    await annotate(first, { 'hawser.dev/schema-proven': hash });
    await eventually(async () => {
      expect(await reached(12)).toHaveLength(4);
    });
  });

  it('looks again at consumers that wait when labels change by which the steps go', async () => {
    await provide({ type: 'integer', maximum: 5 });
    const rollout = { 'hawser.dev/schema-rollout': 'tier=canary' };
    const [canary, other] = [await bind(rollout), await bind(rollout)];
    const label = (namespace: string, tier: string): Promise<unknown> =>
      cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { metadata: { labels: { tier } } } },
      );
    for (const namespace of [canary, other]) {
      await cluster.client.create(resources.clusterBindings, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace, labels: { tier: namespace === canary ? 'canary' : 'gold' } },
        spec: { providerPrettyName: 'Lab', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
      } as UnstructuredObject);
    }
    await change({ type: 'integer', maximum: 9 });
    await has(canary, { type: 'integer', maximum: 9 });
    await isHeld(other, 'RolloutWaits');
    await label(other, 'canary');
    await has(other, { type: 'integer', maximum: 9 });
    await isFree(other);
  });

  it('does what the operator says, although the consumer has left no room for it on its export', async () => {
    await provide({ type: 'integer', maximum: 10 });
    const namespace = await bind();
    const fill = async (size: number): Promise<void> => {
      await cluster.client.patch(
        resources.apiServiceExports,
        { namespace, name: 'db' },
        {
          type: 'merge',
          patch: {
            status: {
              conditions: [
                { type: 'Mine', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', message: 'x'.repeat(size) },
              ],
            },
          },
        },
        { subresource: 'status' },
      );
    };
    let full = 1_500_000;
    for (let step = 400_000; step >= 32; step = Math.floor(step / 2))
      if (
        await fill(full + step).then(
          () => true,
          () => false,
        )
      )
        full += step;
    await change({ type: 'integer', maximum: 5 });
    await expect(annotate(namespace, { 'hawser.dev/schema-approved': 'x'.repeat(32) })).rejects.toThrow();
    const [standing] = (await schemaStandings(cluster.client, { dialect: kubeBindDialect })).filter(
      (one) => one.namespace === namespace,
    );
    expect(standing).toMatchObject({ state: 'Held', reason: 'BreakingSchemaChange' });
    expect(await sizeOf(namespace)).toEqual({ type: 'integer', maximum: 10 });
    expect(
      await addSchemaDecision(cluster.client, 'approve', { namespace, name: 'db' }, [standing?.candidate ?? '']),
    ).toBe('written');
    expect(
      await addSchemaDecision(cluster.client, 'approve', { namespace, name: 'db' }, [standing?.candidate ?? '']),
    ).toBe('there');
    await has(namespace, { type: 'integer', maximum: 5 });
  });
});
