import type { KubeObject, UnstructuredObject } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportRequestSpec,
  type BoundSchema,
  resources,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createExportController } from './export-controller.js';
import { createExportRequestController } from './export-request-controller.js';
import { type ProviderCluster, openProviderCluster } from '../../servicenamespace/src/testing/provider-cluster.js';
import { rights } from './testing/rights.js';

describeWithControlPlane('bad input', () => {
  let cluster: ProviderCluster;
  let namespace: string;
  let group: string;

  beforeAll(async () => {
    cluster = await openProviderCluster(rights);
    await cluster.run(
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed' }),
      createExportController(),
    );
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    namespace = uniqueNamespace('kube-bind');
    group = uniqueGroup('bad');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  interface Offer {
    readonly scope?: 'Cluster' | 'Namespaced';
    readonly kind?: string;
    readonly description?: string;
    readonly conversion?: object;
  }

  const provide = (
    plural: string,
    { scope = 'Namespaced', kind = plural, description = '', conversion }: Offer = {},
  ): Promise<KubeObject> =>
    cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope,
        names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
        ...(conversion === undefined ? {} : { conversion }),
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: { type: 'object', description, properties: { spec: { type: 'object' } } } },
        })),
      },
    } as UnstructuredObject);
  const withdraw = async (plural: string): Promise<void> => {
    await cluster.client.delete(resources.customResourceDefinitions, { name: `${plural}.${group}` });
    await eventually(async () => {
      expect(await cluster.read(resources.customResourceDefinitions, { name: `${plural}.${group}` })).toBeUndefined();
    });
  };
  const ask = (plural: string, spec: Partial<APIServiceExportRequestSpec> = {}): Promise<KubeObject> =>
    cluster.client.create(resources.apiServiceExportRequests, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: { name: plural, namespace },
      spec: { resources: [{ group, resource: plural, versions: ['v1'] }], ...spec },
    } as UnstructuredObject);
  const request = (name: string): Promise<APIServiceExportRequest | undefined> =>
    cluster.read(resources.apiServiceExportRequests, { namespace, name });
  const schema = (plural: string): Promise<BoundSchema | undefined> =>
    cluster.read(resources.boundSchemas, { namespace, name: `${plural}.${group}` });
  const apiExport = (name: string): Promise<APIServiceExport | undefined> =>
    cluster.read(resources.apiServiceExports, { namespace, name });
  const isAnswered = (name: string): Promise<void> =>
    eventually(async () => {
      expect((await request(name))?.status).toMatchObject({
        phase: 'Succeeded',
        conditions: [{ type: 'Ready', status: 'True' }, {}],
      });
    });
  const requestIs = (name: string, phase: string, reason: string, ...words: readonly string[]): Promise<void> =>
    eventually(async () => {
      const found = await request(name);
      const condition = found?.status?.conditions?.find(({ type }) => type === 'ExportsReady');
      expect({ phase: found?.status?.phase, reason: condition?.reason }).toEqual({ phase, reason });
      for (const word of words) expect(condition?.message).toContain(word);
    });
  /** A second request in the same namespace, which is right, is not held up. */
  const othersAreServed = async (): Promise<void> => {
    await provide('others');
    await ask('others');
    await isAnswered('others');
  };

  it('a CRD that is made again with another scope: nothing reaches the consumer, the request says why, and it is over when the old one is back', async () => {
    await provide('databases');
    await ask('databases', { schemaUpdatePolicy: 'Always' });
    await isAnswered('databases');
    await eventually(async () => {
      expect((await apiExport('databases'))?.status?.conditions).toHaveLength(1);
    });
    const before = { schema: await schema('databases'), export: await apiExport('databases') };
    await withdraw('databases');
    await provide('databases', { scope: 'Cluster' });
    await requestIs(
      'databases',
      'Succeeded',
      'SchemaIncompatible',
      'scope Namespaced became Cluster',
      'The provider has to',
    );
    await othersAreServed();
    expect({ schema: await schema('databases'), export: await apiExport('databases') }).toEqual(before);
    await withdraw('databases');
    await provide('databases');
    await isAnswered('databases');
  });

  it('a CRD that is removed, or loses its label: what was made stays as it is', async () => {
    for (const plural of ['databases', 'caches']) {
      await provide(plural);
      await ask(plural, { schemaUpdatePolicy: 'Always' });
      await isAnswered(plural);
      await eventually(async () => {
        expect((await apiExport(plural))?.status?.conditions).toHaveLength(1);
      });
    }
    const all = (): Promise<readonly unknown[]> =>
      Promise.all([schema('databases'), apiExport('databases'), schema('caches'), apiExport('caches')]);
    const before = await all();
    await withdraw('databases');
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: `caches.${group}` },
      { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': null } } } },
    );
    await othersAreServed();
    await cluster.settledWrites();
    expect(await all()).toEqual(before);
  });

  it('a conversion webhook that only the provider can call', async () => {
    await provide('databases', {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { namespace: 'default', name: 'converter' } },
        },
      },
    });
    await ask('databases');
    await requestIs('databases', 'Pending', 'BoundSchemaNotFound', 'conversion webhook', 'url');
    await othersAreServed();
    expect(await schema('databases')).toBeUndefined();
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: `databases.${group}` },
      { type: 'merge', patch: { spec: { conversion: { strategy: 'None', webhook: null } } } },
    );
    await isAnswered('databases');
  });

  it('a schema that is larger than a consumer can store', async () => {
    await provide('databases', { description: 'd'.repeat(720_000) });
    await ask('databases');
    await requestIs('databases', 'Pending', 'BoundSchemaNotFound', '1400000 can be exported');
    await othersAreServed();
    expect(await schema('databases')).toBeUndefined();
  });

  it('a CRD whose kind another one has', async () => {
    await provide('databases', { kind: 'Thing' });
    await ask('databases');
    await isAnswered('databases');
    await provide('caches', { kind: 'Thing' });
    await ask('caches');
    await requestIs('caches', 'Pending', 'SchemaNotServed', 'Thing');
    await othersAreServed();
    await withdraw('databases');
    await isAnswered('caches');
  });

  it('a namespace that is too long once it is prefixed', async () => {
    await provide('databases');
    await ask('databases', { namespaces: [{ name: 'n'.repeat(60) }] });
    await requestIs('databases', 'Failed', 'InvalidNamespaceName', `${namespace}-nnn`, 'a namespace can have 63');
    expect((await request('databases'))?.status?.terminalMessage).toContain('Make a new request with a shorter name.');
    await othersAreServed();
    expect(await schema('databases')).toBeUndefined();
  });
});
