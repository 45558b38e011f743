import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type APIServiceExport, type APIServiceExportRequest, exportHash, inlineSpecOf, installCRDs, klutchDialect, providerCRDs } from '@hawser/klutch';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type ProviderCluster, type Running, openProviderCluster } from '../../../servicenamespace/src/testing/provider-cluster.js';
import { inlineRights } from '../testing/rights.js';
import { createInlineExportController } from './inline-controller.js';

const kinds = klutchDialect.resources;
const template = { group: 'example-backend.klutch.anynines.com', version: 'v1alpha1' };

describeWithControlPlane('createInlineExportController', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let namespace: string;
  let group: string;

  const start = async (): Promise<void> => { running = await cluster.run(createInlineExportController({ informerScope: 'Cluster' })); };
  beforeAll(async () => {
    cluster = await openProviderCluster(inlineRights);
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
    await start();
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    namespace = uniqueNamespace('cluster');
    group = uniqueGroup('klutch');
    await cluster.client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  const field = (type: string): object => ({ type: 'object', properties: { spec: { type: 'object', properties: { engine: { type } } } } });
  const provide = (plural: string, scope = 'Namespaced'): Promise<KubeObject> => cluster.client.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` }, versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: field('string') } }] },
  } as UnstructuredObject);
  const change = (plural: string, path: string, value: unknown): Promise<KubeObject> => cluster.client.patch(resources.customResourceDefinitions, { name: `${plural}.${group}` }, { type: 'json', operations: [{ op: 'add', path: `/spec/versions/0/schema/openAPIV3Schema${path}`, value: value as string }] });
  const claims = [{ group: '', resource: 'secrets', selector: { names: ['*'], owner: 'Provider' } }];
  const offer = (plural: string): Promise<KubeObject> => cluster.client.create(kinds.apiServiceExportTemplates, {
    apiVersion: `${template.group}/${template.version}`, kind: 'APIServiceExportTemplate', metadata: { namespace: 'default', name: `${plural}.${group}` }, spec: { APIServiceSelector: { group, resource: plural }, permissionClaims: claims },
  } as UnstructuredObject);
  const ask = (name: string, ...plurals: readonly string[]): Promise<KubeObject> => cluster.client.create(kinds.apiServiceExportRequests, {
    apiVersion: klutchDialect.apiVersion, kind: 'APIServiceExportRequest', metadata: { name, namespace }, spec: { resources: plurals.map((resource) => ({ group, resource })) },
  } as UnstructuredObject);
  const apiExport = (plural: string): Promise<APIServiceExport | undefined> => cluster.read(kinds.apiServiceExports, { namespace, name: `${plural}.${group}` });
  const says = (name: string, phase: string, reason: string | undefined): Promise<void> => eventually(async () => {
    const found = await cluster.read<APIServiceExportRequest>(kinds.apiServiceExportRequests, { namespace, name });
    expect({ phase: found?.status?.phase, reason: found?.status?.conditions?.find(({ type }) => type === 'ExportsReady')?.reason }).toEqual({ phase, reason });
  });
  const conditionsOf = async (plural: string): Promise<readonly string[]> => ((await apiExport(plural))?.status?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`.trim());
  const inSync = (plural: string): Promise<void> => eventually(async () => { expect(await conditionsOf(plural)).toEqual(['ProviderInSync True']); });
  const engineOf = (found: APIServiceExport | undefined): unknown => (found?.spec.versions[0]?.schema.openAPIV3Schema as { readonly properties?: { readonly spec?: { readonly properties?: object } } } | undefined)?.properties?.spec?.properties;

  it('answers a request for two resources with an export of each CRD, and the claims of its template', async () => {
    await provide('databases');
    await provide('zones', 'Cluster');
    await offer('databases');
    await offer('zones');
    await ask('both', 'databases', 'zones');
    await says('both', 'Succeeded', undefined);
    const found = await apiExport('databases');
    expect(found?.spec).toMatchObject({ group, scope: 'Namespaced', names: { plural: 'databases' }, informerScope: 'Cluster', permissionClaims: claims, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: field('string') } }] });
    expect(found?.spec).not.toHaveProperty('clusterScopedIsolation');
    expect(found?.metadata.annotations?.['klutch.anynines.com/source-spec-hash']).toBe(exportHash(inlineSpecOf(found!)));
    expect((await apiExport('zones'))?.spec).toMatchObject({ scope: 'Cluster', clusterScopedIsolation: 'Prefixed' });
    await inSync('databases');
    await inSync('zones');
    const before = (await cluster.settledWrites()).length;
    await running.stop();
    await start();
    expect((await cluster.settledWrites()).slice(before)).toEqual([]);
  });

  it('says what a request waits for, and goes on when it is there', async () => {
    await ask('early', 'databases');
    await says('early', 'Pending', 'NotOffered');
    await offer('databases');
    await says('early', 'Pending', 'CRDNotFound');
    await provide('databases');
    await says('early', 'Succeeded', undefined);
  });

  it('carries a change that breaks nothing, and holds one that does until just that is approved', async () => {
    await provide('databases');
    await offer('databases');
    await ask('databases', 'databases');
    await inSync('databases');
    await change('databases', '/properties/spec/properties/size', { type: 'integer' });
    await eventually(async () => { expect(engineOf(await apiExport('databases'))).toEqual({ engine: { type: 'string' }, size: { type: 'integer' } }); });
    const safe = await apiExport('databases');
    expect(safe?.metadata.annotations?.['klutch.anynines.com/source-spec-hash']).toBe(exportHash(inlineSpecOf(safe!)));
    await change('databases', '/properties/spec/properties/engine', { type: 'integer' });
    await eventually(async () => { expect(await conditionsOf('databases')).toEqual(['ProviderInSync True', 'SchemaUpdateHeld True BreakingSchemaChange']); });
    const held = await apiExport('databases');
    expect(held?.spec).toEqual(safe?.spec);
    const message = held?.status?.conditions?.find(({ type }) => type === 'SchemaUpdateHeld')?.message ?? '';
    expect(message).toContain('engine');
    const approval = /hawser\.dev\/schema-approved=(\S+)/u.exec(message)?.[1];
    await cluster.client.patch(kinds.apiServiceExports, { namespace, name: `databases.${group}` }, { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/schema-approved': approval } } } });
    await eventually(async () => { expect(engineOf(await apiExport('databases'))).toMatchObject({ engine: { type: 'integer' } }); });
    await inSync('databases');
  });

  it('keeps the export of a CRD that is gone, and says so', async () => {
    await provide('databases');
    await offer('databases');
    await ask('databases', 'databases');
    await inSync('databases');
    await cluster.client.delete(resources.customResourceDefinitions, { name: `databases.${group}` });
    await eventually(async () => { expect(await conditionsOf('databases')).toEqual(['ProviderInSync True', 'SchemaUpdateHeld True SchemaSourceGone']); });
    await eventually(async () => { expect(await cluster.read(resources.customResourceDefinitions, { name: `databases.${group}` })).toBeUndefined(); });
    await provide('databases');
    await inSync('databases');
  });
});
