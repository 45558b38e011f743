import type { Faults } from '@hawser/apiserver';
import type { UnstructuredObject } from '@hawser/client';
import { createExportController, createExportRequestController, createSchemaStamper } from '@hawser/exportrequest';
import {
  type APIServiceExport,
  type APIServiceNamespace,
  type BoundSchema,
  type CustomResourceDefinition,
  getCondition,
  hawserAnnotations,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { eventually, uniqueGroup } from '@hawser/testenv';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedProvider, openEmbeddedProvider } from '../../servicenamespace/src/testing/embedded-provider.js';
import { createPropagationController } from './propagation-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const namespace = 'kube-bind-acme';
const exportKey = { namespace, name: 'db' };

describe('a change that becomes another matter while the stored objects are read', () => {
  let provider: EmbeddedProvider;
  let group: string;
  /** Called when the stored objects are about to be read; the answer comes when it has resolved. */
  let whileReading: (() => Promise<unknown>) | undefined;
  /** When the stored objects were read, in milliseconds. */
  let reads: number[];

  const schemaKey = (): { readonly namespace: string; readonly name: string } => ({
    namespace,
    name: `databases.${group}`,
  });
  const versions = (maximum: number): unknown => [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum } } } },
        },
      },
    },
  ];
  const change = (maximum: number): Promise<void> =>
    provider.change(
      resources.customResourceDefinitions,
      { name: `databases.${group}` },
      { spec: { versions: versions(maximum) } },
    );
  const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<void> =>
    provider.change(resources.apiServiceExports, exportKey, { metadata: { annotations } });
  const maximum = async (): Promise<unknown> => {
    const [version] = (await provider.read<BoundSchema>(resources.boundSchemas, schemaKey()))?.spec?.versions ?? [];
    return (
      version?.schema as
        { openAPIV3Schema: { properties: { spec: { properties: { size: { maximum: unknown } } } } } } | undefined
    )?.openAPIV3Schema.properties.spec.properties.size.maximum;
  };
  /** How often the consumer's schema was written, whatever it says now. */
  const replacements = async (): Promise<number> =>
    ((await provider.read<BoundSchema>(resources.boundSchemas, schemaKey()))?.metadata.generation ?? 0) - 1;
  const isHeld = (reason: string): Promise<unknown> =>
    eventually(async () => {
      expect(
        getCondition(
          (await provider.read<APIServiceExport>(resources.apiServiceExports, exportKey))?.status?.conditions,
          'SchemaUpdateHeld',
        )?.reason,
      ).toBe(reason);
    });
  const hashNow = async (): Promise<string> => {
    const crd = await provider.client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
      name: `databases.${group}`,
    });
    const source = createSchemaStamper().stamp(crd, { informerScope: 'Cluster', isolation: 'Prefixed' });
    return source.kind === 'offered' ? source.hash : '';
  };

  beforeEach(async () => {
    provider = await openEmbeddedProvider();
    group = uniqueGroup('long');
    whileReading = undefined;
    reads = [];
    await provider.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `databases.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: versions(5),
      },
    });
    for (const name of [namespace, `${namespace}-team`])
      await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const faults: Faults = (request) => {
      if (request.method !== 'GET' || !request.path.includes(`/namespaces/${namespace}-team/databases`))
        return undefined;
      reads.push(performance.now());
      const change = whileReading;
      whileReading = undefined;
      if (change === undefined) return undefined;
      return { after: change() };
    };
    const { informers } = await provider.run(
      [
        createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', carriesSchemas: false }),
        createExportController(),
        createPropagationController({ dialect: kubeBindDialect }),
      ],
      faults,
    );
    await provider.create(resources.apiServiceExportRequests, {
      apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: { name: 'db', namespace },
      spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }], namespaces: [{ name: 'team' }] },
    });
    await eventually(async () => {
      expect(
        await provider.read<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace, name: 'team' }),
      ).toBeDefined();
    });
    await provider.client.patch(
      resources.apiServiceNamespaces,
      { namespace, name: 'team' },
      { type: 'merge', patch: { status: { namespace: `${namespace}-team` } } },
      { subresource: 'status' },
    );
    // The objects that are read are those of the namespaces that the controller knows.
    const known = informers.acquire<APIServiceNamespace>({ resource: resources.apiServiceNamespaces });
    await eventually(() => {
      expect(known.get({ namespace, name: 'team' })?.status?.namespace).toBe(`${namespace}-team`);
    });
    known.release();
    await eventually(async () => {
      expect(await maximum()).toBe(5);
    });
    await provider.client.create({ group, version: 'v1', resource: 'databases' }, {
      apiVersion: `${group}/v1`,
      kind: 'Database',
      metadata: {
        name: 'one',
        namespace: `${namespace}-team`,
        annotations: { 'kube-bind.io/cluster-namespace': namespace },
      },
      spec: { size: 4 },
    } as UnstructuredObject);
  });
  afterEach(() => provider.close());

  it('flows where nothing has changed, after one look', async () => {
    whileReading = () => Promise.resolve();
    await change(9);
    await eventually(async () => {
      expect(await maximum()).toBe(9);
    });
    expect([reads.length, await replacements()]).toEqual([1, 1]);
  });

  it('is held once the policy is Never', async () => {
    whileReading = () => annotate({ [hawserAnnotations.schemaUpdate]: 'Never' });
    await change(9);
    await isHeld('SchemaUpdatesOff');
    expect(await replacements()).toBe(0);
  });

  it('is held once it is rejected', async () => {
    whileReading = async () => annotate({ [hawserAnnotations.schemaRejected]: await hashNow() });
    await change(9);
    await isHeld('SchemaRolledBack');
    expect(await replacements()).toBe(0);
  });

  it('is another change once the CRD has changed, and is judged as that', async () => {
    whileReading = () => change(3);
    await change(9);
    await isHeld('BreakingSchemaChange');
    expect(await replacements()).toBe(0);
  });

  it('is looked at again once it is yet another one that may flow', async () => {
    whileReading = () => change(11);
    await change(9);
    await eventually(async () => {
      expect(await maximum()).toBe(11);
    });
    expect([reads.length, await replacements()]).toEqual([2, 1]);
  });

  it('is read ever less often where the CRD changes faster than that', async () => {
    let next = 9;
    const changes = (): Promise<unknown> => {
      whileReading = changes;
      return change(++next);
    };
    whileReading = changes;
    await change(9);
    await eventually(() => {
      expect(reads.length).toBeGreaterThan(4);
    });
    // Two pauses, the second twice as long.
    expect((reads[4] ?? 0) - (reads[0] ?? 0)).toBeGreaterThan(1_000);
    await isHeld('StoredObjectsUnread');
    // Once it stays as it is, it flows.
    whileReading = undefined;
    await eventually(async () => {
      expect(await maximum()).toBe(next);
    });
  });
});
