import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  exportHash,
  inlineSpecOf,
  installCRDs,
  klutchDialect,
  providerCRDs,
} from '@hawser/klutch';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../servicenamespace/src/testing/provider-cluster.js';
import { inlineRights } from '../testing/rights.js';
import { createInlineExportControllers } from './inline-controllers.js';

const kinds = klutchDialect.resources;
const template = { group: 'example-backend.klutch.anynines.com', version: 'v1alpha1' };

describeWithControlPlane('createInlineExportControllers', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let namespace: string;
  let group: string;

  const start = async (): Promise<void> => {
    running = await cluster.run(...createInlineExportControllers({ informerScope: 'Cluster' }));
  };
  beforeAll(async () => {
    cluster = await openProviderCluster(inlineRights);
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
    await start();
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    namespace = uniqueNamespace('cluster');
    group = uniqueGroup('klutch');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  const field = (type: string): object => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: { engine: { type } } } },
  });
  const provide = (plural: string, scope = 'Namespaced'): Promise<KubeObject> =>
    cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope,
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: field('string') },
          },
        ],
      },
    } as UnstructuredObject);
  const claims = [{ group: '', resource: 'secrets', selector: { names: ['*'], owner: 'Provider' } }];
  const offer = (plural: string, annotations: Record<string, string> = {}): Promise<KubeObject> =>
    cluster.client.create(kinds.apiServiceExportTemplates, {
      apiVersion: `${template.group}/${template.version}`,
      kind: 'APIServiceExportTemplate',
      metadata: { namespace: 'default', name: `${plural}.${group}`, annotations },
      spec: { APIServiceSelector: { group, resource: plural }, permissionClaims: claims },
    } as UnstructuredObject);
  const ask = (name: string, ...plurals: readonly string[]): Promise<KubeObject> =>
    cluster.client.create(kinds.apiServiceExportRequests, {
      apiVersion: klutchDialect.apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: { name, namespace },
      spec: { resources: plurals.map((resource) => ({ group, resource })) },
    } as UnstructuredObject);
  const apiExport = (plural: string): Promise<APIServiceExport | undefined> =>
    cluster.read(kinds.apiServiceExports, { namespace, name: `${plural}.${group}` });
  const requestIs = (name: string, phase: string, reason: string | undefined): Promise<void> =>
    eventually(async () => {
      const found = await cluster.read<APIServiceExportRequest>(kinds.apiServiceExportRequests, { namespace, name });
      expect({
        phase: found?.status?.phase,
        reason: found?.status?.conditions?.find(({ type }) => type === 'ExportsReady')?.reason,
      }).toEqual({ phase, reason });
    });
  const conditionsOf = async (plural: string): Promise<readonly string[]> =>
    ((await apiExport(plural))?.status?.conditions ?? []).map(({ type, status, reason }) =>
      `${type} ${status} ${reason ?? ''}`.trim(),
    );
  const inSync = (plural: string): Promise<void> =>
    eventually(async () => {
      expect(await conditionsOf(plural)).toEqual(['ProviderInSync True']);
    });

  it('answers a request for two resources with an export of each CRD, and the claims of its template', async () => {
    await provide('databases');
    await provide('zones', 'Cluster');
    await offer('databases');
    await offer('zones');
    await ask('both', 'databases', 'zones');
    await requestIs('both', 'Succeeded', undefined);
    const found = await apiExport('databases');
    expect(found?.spec).toMatchObject({
      group,
      scope: 'Namespaced',
      names: { plural: 'databases' },
      informerScope: 'Cluster',
      permissionClaims: claims,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: field('string') } }],
    });
    expect(found?.spec).not.toHaveProperty('clusterScopedIsolation');
    expect(found?.metadata.annotations?.['klutch.anynines.com/source-spec-hash']).toBe(
      exportHash(inlineSpecOf(found!)),
    );
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
    await requestIs('early', 'Pending', 'NotOffered');
    await offer('databases');
    await requestIs('early', 'Pending', 'CRDNotFound');
    await provide('databases');
    await requestIs('early', 'Succeeded', undefined);
  });

  it('waits for the approval of the provider where the template wants it, and goes on with it', async () => {
    await running.stop();
    running = await cluster.run(...createInlineExportControllers({ informerScope: 'Cluster', admission: 'Template' }));
    await provide('databases');
    await offer('databases', { 'hawser.dev/approval': 'required' });
    const may = uniqueNamespace('may-bind');
    await cluster.client.create(resources.clusterRoles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: may },
      rules: [{ apiGroups: [template.group], resources: ['apiserviceexporttemplates'], verbs: ['bind'] }],
    } as UnstructuredObject);
    await cluster.client.create(resources.clusterRoleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: may },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: may },
      subjects: [{ kind: 'ServiceAccount', namespace, name: klutchDialect.names.binder }],
    } as UnstructuredObject);
    const binding = { namespace, name: 'cluster' };
    await cluster.client.create(kinds.clusterBindings, {
      apiVersion: klutchDialect.apiVersion,
      kind: 'ClusterBinding',
      metadata: binding,
      spec: { providerPrettyName: 'P', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    } as UnstructuredObject);
    await ask('guarded', 'databases');
    await requestIs('guarded', 'Pending', 'ApprovalRequired');
    const approve = (names: string): Promise<unknown> =>
      cluster.client.patch(kinds.clusterBindings, binding, {
        type: 'merge',
        patch: { metadata: { annotations: { 'hawser.dev/approved-templates': names } } },
      });
    await approve(`others/databases.${group}`);
    await cluster.settledWrites();
    await requestIs('guarded', 'Pending', 'ApprovalRequired');
    await approve(`default/databases.${group}`);
    await requestIs('guarded', 'Succeeded', undefined);
    await running.stop();
    await start();
  });

  it('marks an export as withdrawn while its consumer has unbound it', async () => {
    await provide('databases');
    await offer('databases');
    await ask('databases', 'databases');
    await inSync('databases');
    const writeConditions = (conditions: readonly object[]): Promise<unknown> =>
      cluster.client.patch(
        kinds.apiServiceExports,
        { namespace, name: `databases.${group}` },
        { type: 'merge', patch: { status: { conditions } } } as never,
        { subresource: 'status' },
      );
    const marked = async (): Promise<string | undefined> =>
      (await apiExport('databases'))?.metadata.annotations?.['hawser.dev/withdrawn'];
    await writeConditions([
      { type: 'Unbound', status: 'True', reason: 'BindingGone', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
    await eventually(async () => {
      expect(await marked()).toBe('Unbound');
    });
    await writeConditions([]);
    await eventually(async () => {
      expect(await marked()).toBeUndefined();
    });
    await inSync('databases');
    // Klutch deletes old requests.
    await cluster.client.delete(kinds.apiServiceExportRequests, { namespace, name: 'databases' });
    await cluster.settledWrites();
    expect(await marked()).toBeUndefined();
    // What no template offers any more stays with whoever has it, and does not come back.
    const offered = { namespace: 'default', name: `databases.${group}` };
    await cluster.client.delete(kinds.apiServiceExportTemplates, offered);
    await writeConditions([
      { type: 'Unbound', status: 'True', reason: 'BindingGone', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
    await eventually(async () => {
      expect(await marked()).toBe('Unbound');
    });
    await writeConditions([]);
    await eventually(() => {
      expect(
        running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
      ).toContain('RestoreRefused');
    });
    expect(await marked()).toBe('Unbound');
    await offer('databases');
    await eventually(async () => {
      expect(await marked()).toBeUndefined();
    });
  });
});
