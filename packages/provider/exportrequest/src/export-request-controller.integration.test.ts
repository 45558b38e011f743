import type { KubeObject, UnstructuredObject } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportRequestSpec,
  type APIServiceNamespace,
  type BoundSchema,
  exportHash,
  resources,
  schemaHash,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createExportController } from './export-controller.js';
import { createExportRequestController, type ExportRequestOptions } from './export-request-controller.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { rights } from './testing/rights.js';

const exportedLabel = { 'kube-bind.io/exported': 'true' };

describeWithControlPlane('createExportRequestController, createExportController', () => {
  let cluster: ProviderCluster;
  let controllers: Running;
  let namespace: string;
  let group: string;

  const start = async (
    bounds: Pick<ExportRequestOptions, 'exportsPerConsumer' | 'namespacesPerConsumer'> = {},
  ): Promise<void> => {
    controllers = await cluster.run(
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', ...bounds }),
      createExportController(),
    );
  };

  beforeAll(async () => {
    cluster = await openProviderCluster(rights);
    await start();
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    namespace = uniqueNamespace('kube-bind');
    group = uniqueGroup('export');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  const provide = (plural: string, options: { readonly labels?: Record<string, string> } = {}): Promise<KubeObject> =>
    cluster.client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: options.labels ?? exportedLabel },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { engine: { type: 'string' } } } },
              },
            },
          },
        ],
      },
    } as UnstructuredObject);
  const ask = (name: string, spec: Partial<APIServiceExportRequestSpec>): Promise<KubeObject> =>
    cluster.client.create(resources.apiServiceExportRequests, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: { name, namespace },
      spec: { resources: [{ group, resource: name, versions: ['v1'] }], ...spec },
    } as UnstructuredObject);
  const request = (name: string): Promise<APIServiceExportRequest | undefined> =>
    cluster.read(resources.apiServiceExportRequests, { namespace, name });
  const apiExport = (name: string): Promise<APIServiceExport | undefined> =>
    cluster.read(resources.apiServiceExports, { namespace, name });
  const schema = (name: string): Promise<BoundSchema | undefined> =>
    cluster.read(resources.boundSchemas, { namespace, name: `${name}.${group}` });
  const waitForPhase = (name: string, phase: string): Promise<APIServiceExportRequest> =>
    eventually(async () => {
      const found = await request(name);
      expect(found?.status).toMatchObject({ phase });
      return found!;
    });
  const waitForReason = (name: string, reason: string): Promise<APIServiceExportRequest> =>
    eventually(async () => {
      const found = await request(name);
      expect(found?.status?.conditions?.map((condition) => condition.reason)).toContain(reason);
      return found!;
    });
  const hashOf = (object: KubeObject | undefined): string | undefined =>
    object?.metadata.annotations?.['kube-bind.io/source-spec-hash'];

  it('answers a request with BoundSchema, export and namespaces', async () => {
    await provide('databases');
    const claim = { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } };
    await ask('databases', { permissionClaims: [claim], namespaces: [{ name: 'team-a' }] });
    const answered = await waitForPhase('databases', 'Succeeded');
    expect(answered.status?.conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['Ready', 'True'],
      ['ExportsReady', 'True'],
    ]);

    const made = await apiExport('databases');
    expect(made?.spec).toEqual({
      resources: [{ group, resource: 'databases', versions: ['v1'] }],
      permissionClaims: [claim],
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    });
    const owner = {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      name: 'databases',
      uid: made?.metadata.uid,
    };

    const bound = await schema('databases');
    expect(bound?.metadata.ownerReferences).toEqual([{ ...owner, controller: true, blockOwnerDeletion: true }]);
    expect(bound?.spec).toMatchObject({
      informerScope: 'Cluster',
      group,
      scope: 'Namespaced',
      names: { plural: 'databases', kind: 'databases' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } }],
    });
    expect(hashOf(bound)).toBe(schemaHash(bound!.spec!));
    expect(hashOf(made)).toBe(exportHash([bound!.spec!]));

    const mapped = await cluster.read<APIServiceNamespace>(resources.apiServiceNamespaces, {
      namespace,
      name: 'team-a',
    });
    expect(mapped?.metadata).toMatchObject({ labels: { 'kube-bind.io/owner': 'provider' }, ownerReferences: [owner] });
    await eventually(async () => {
      expect((await apiExport('databases'))?.status?.conditions?.map(({ type, status }) => [type, status])).toEqual([
        ['ProviderInSync', 'True'],
      ]);
    });
    const writes = (await cluster.settledWrites()).filter((write) => write.namespace === namespace);
    expect(
      writes
        .map(
          ({ verb, resource, subresource, code }) =>
            `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${code}`,
        )
        .sort(),
    ).toEqual([
      'create apiserviceexports 201',
      'create apiservicenamespaces 201',
      'create boundschemas 201',
      'patch apiserviceexportrequests/status 200',
      'patch apiserviceexports/status 200',
      'patch boundschemas 200',
    ]);
  });

  it('writes nothing at a restart', async () => {
    await provide('databases');
    await ask('databases', { schemaUpdatePolicy: 'Always' });
    await waitForPhase('databases', 'Succeeded');
    const before = (await cluster.settledWrites()).length;
    await controllers.stop();
    await start();
    expect((await cluster.settledWrites()).length).toBe(before);
  });

  it('keeps a request waiting for a CRD that is not exported, says so, and succeeds when the label comes', async () => {
    await provide('databases', { labels: {} });
    await ask('databases', {});
    const waiting = await waitForReason('databases', 'SchemaNotFound');
    expect(waiting.status?.phase).toBe('Pending');
    expect(waiting.status?.conditions?.find(({ type }) => type === 'ExportsReady')?.message).toContain(
      `databases.${group}`,
    );
    const before = (await cluster.settledWrites()).length;
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name: `databases.${group}` },
      { type: 'merge', patch: { metadata: { labels: exportedLabel } } },
    );
    const answered = await waitForPhase('databases', 'Succeeded');
    expect(answered.status?.conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['Ready', 'True'],
      ['ExportsReady', 'True'],
    ]);
    expect(before).toBeGreaterThan(0);
  });

  it('fails a request that can never succeed, for good, and makes nothing for it', async () => {
    await provide('databases');
    await ask('databases', { permissionClaims: [{ group: 'apps', resource: 'deployments', selector: {} }] });
    const failed = await waitForPhase('databases', 'Failed');
    expect(failed.status?.terminalMessage).toContain('deployments.apps');
    expect(failed.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', severity: 'Error', reason: 'InvalidPermissionClaim' },
      { type: 'PermissionClaim', status: 'False', severity: 'Error', reason: 'InvalidPermissionClaim' },
      { type: 'Stalled', status: 'True', reason: 'InvalidPermissionClaim' },
    ]);
    const mine = (await cluster.settledWrites()).filter((write) => write.namespace === namespace);
    expect(mine.map(({ resource, subresource }) => `${resource}/${subresource ?? ''}`)).toEqual([
      'apiserviceexportrequests/status',
    ]);
  });

  it('answers a request whose export is there already, and one that asks for the same resource by another name', async () => {
    await provide('databases');
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    const first = await apiExport('databases');
    await cluster.client.delete(resources.apiServiceExportRequests, { namespace, name: 'databases' });
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    expect((await apiExport('databases'))?.metadata.uid).toBe(first?.metadata.uid);

    await ask('again', { resources: [{ group, resource: 'databases', versions: ['v1'] }] });
    await waitForPhase('again', 'Succeeded');
    const second = await apiExport('again');
    expect(
      (await schema('databases'))?.metadata.ownerReferences?.map(({ uid, controller }) => [uid, controller]),
    ).toEqual([
      [first?.metadata.uid, true],
      [second?.metadata.uid, undefined],
    ]);
    expect(hashOf(second)).toBe(hashOf(first));
  });

  it('holds a request that an export contradicts, until that goes', async () => {
    await provide('databases');
    await provide('caches');
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    await cluster.client.delete(resources.apiServiceExportRequests, { namespace, name: 'databases' });
    await ask('databases', { resources: [{ group, resource: 'caches', versions: ['v1'] }] });
    expect((await waitForReason('databases', 'ExportConflict')).status?.phase).toBe('Pending');
    await cluster.client.delete(resources.apiServiceExports, { namespace, name: 'databases' });
    await waitForPhase('databases', 'Succeeded');
    expect((await apiExport('databases'))?.spec.resources).toEqual([{ group, resource: 'caches', versions: ['v1'] }]);
  });

  it('carries a changed CRD on under policy Always, and not under Never', async () => {
    await provide('databases');
    await provide('caches');
    await ask('databases', { schemaUpdatePolicy: 'Always' });
    await ask('caches', { schemaUpdatePolicy: 'Never' });
    await waitForPhase('databases', 'Succeeded');
    await waitForPhase('caches', 'Succeeded');
    await eventually(async () => {
      expect((await apiExport('caches'))?.status?.conditions).toHaveLength(1);
    });
    const old = { databases: hashOf(await apiExport('databases')), caches: hashOf(await apiExport('caches')) };
    for (const name of ['databases', 'caches']) {
      await cluster.client.patch(
        resources.customResourceDefinitions,
        { name: `${name}.${group}` },
        {
          type: 'json',
          operations: [
            {
              op: 'add',
              path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size',
              value: { type: 'string' },
            },
          ],
        },
      );
    }
    await eventually(async () => {
      const bound = await schema('databases');
      expect(bound?.spec?.versions[0]?.schema).toMatchObject({
        openAPIV3Schema: { properties: { spec: { properties: { size: { type: 'string' } } } } },
      });
      expect(hashOf(bound)).toBe(schemaHash(bound!.spec!));
      expect(hashOf(await apiExport('databases'))).toBe(hashOf(bound));
    });
    expect(hashOf(await apiExport('databases'))).not.toBe(old.databases);
    await cluster.settledWrites();
    expect(hashOf(await schema('caches'))).toBe(old.caches);
    expect((await schema('caches'))?.spec?.versions[0]?.schema).not.toMatchObject({
      openAPIV3Schema: { properties: { spec: { properties: { size: {} } } } },
    });
  });

  it('marks an export whose request was deleted, keeps what was made, and takes the mark back when it is requested again', async () => {
    await provide('databases');
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    const mark = async (): Promise<string | undefined> =>
      (await apiExport('databases'))?.metadata.annotations?.['hawser.dev/withdrawn'];
    await cluster.client.delete(resources.apiServiceExportRequests, { namespace, name: 'databases' });
    await eventually(async () => {
      expect(await mark()).toBe('RequestDeleted');
    });
    expect(await schema('databases')).toBeDefined();
    // Also when nobody saw it go.
    await controllers.stop();
    await ask('databases', {});
    await start();
    await waitForPhase('databases', 'Succeeded');
    await eventually(async () => {
      expect(await mark()).toBeUndefined();
    });
    expect((await apiExport('databases'))?.metadata.annotations?.['hawser.dev/request']).toBe(
      (await request('databases'))?.metadata.uid,
    );
    await controllers.stop();
    await cluster.client.delete(resources.apiServiceExportRequests, { namespace, name: 'databases' });
    await start();
    await eventually(async () => {
      expect(await mark()).toBe('RequestDeleted');
    });
  });

  it('marks an export that its konnector has unbound', async () => {
    await provide('databases');
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    const unbound = async (status: 'True' | 'False'): Promise<void> => {
      await cluster.client.patch(
        resources.apiServiceExports,
        { namespace, name: 'databases' },
        {
          type: 'merge',
          patch: { status: { conditions: [{ type: 'Unbound', status, lastTransitionTime: '2026-11-21T15:00:00Z' }] } },
        },
        { subresource: 'status' },
      );
    };
    await unbound('True');
    await eventually(async () => {
      expect((await apiExport('databases'))?.metadata.annotations?.['hawser.dev/withdrawn']).toBe('Unbound');
    });
    await eventually(() => {
      expect(
        controllers.events.find(
          ({ regarding, event }) => regarding.namespace === namespace && event.reason === 'ExportWithdrawn',
        )?.event.message,
      ).toContain('its rights are withdrawn');
    });
    await unbound('False');
    await eventually(async () => {
      expect((await apiExport('databases'))?.metadata.annotations).not.toHaveProperty(['hawser.dev/withdrawn']);
    });
    expect((await request('databases'))?.status?.phase).toBe('Succeeded');
  });

  it('does not resurrect an export, and says that it is gone; nor is anything deleted with the request', async () => {
    await provide('databases');
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    await cluster.client.delete(resources.apiServiceExports, { namespace, name: 'databases' });
    expect((await waitForReason('databases', 'ExportNotFound')).status?.phase).toBe('Succeeded');
    await cluster.client.delete(resources.apiServiceExportRequests, { namespace, name: 'databases' });
    await cluster.settledWrites();
    expect(await apiExport('databases')).toBeUndefined();
    expect(await schema('databases')).toBeDefined();
  });

  it('says which BoundSchema an export misses, and makes it again', async () => {
    await provide('databases');
    await ask('databases', {});
    await waitForPhase('databases', 'Succeeded');
    const before = (await schema('databases'))?.metadata.uid;
    await cluster.client.delete(resources.boundSchemas, { namespace, name: `databases.${group}` });
    await eventually(async () => {
      const again = await schema('databases');
      expect(again).toBeDefined();
      expect(again?.metadata.uid).not.toBe(before);
      expect(again?.metadata.ownerReferences).toMatchObject([{ name: 'databases', controller: true }]);
    });
    await eventually(async () => {
      expect((await apiExport('databases'))?.status?.conditions).toMatchObject([
        { type: 'ProviderInSync', status: 'True' },
      ]);
    });
    expect((await request('databases'))?.status?.phase).toBe('Succeeded');
  });

  it('tells in the request what the API server refuses, and goes on when it does no more', async () => {
    await provide('databases');
    await cluster.client.create(
      { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: namespace },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['kube-bind.io'],
                apiVersions: ['v1alpha2'],
                operations: ['CREATE'],
                resources: ['boundschemas'],
              },
            ],
          },
          matchConditions: [{ name: 'here', expression: `request.namespace == '${namespace}'` }],
          validations: [{ expression: 'false', message: 'no schemas today' }],
        },
      } as UnstructuredObject,
    );
    const bindings = {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resource: 'validatingadmissionpolicybindings',
    };
    await cluster.client.create(bindings, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: namespace },
      spec: { policyName: namespace, validationActions: ['Deny'] },
    } as UnstructuredObject);
    const probe = { apiVersion: 'kube-bind.io/v1alpha2', kind: 'BoundSchema', metadata: { name: 'probe', namespace } };
    await eventually(async () => {
      await expect(cluster.client.create(resources.boundSchemas, probe, { dryRun: true })).rejects.toThrow(
        'no schemas today',
      );
    });

    await ask('databases', {});
    const held = await waitForReason('databases', 'WriteRefused');
    expect(held.status?.phase).toBe('Pending');
    expect(held.status?.conditions?.find(({ type }) => type === 'ExportsReady')?.message).toContain('no schemas today');
    await cluster.client.delete(bindings, { name: namespace });
    const answered = await waitForPhase('databases', 'Succeeded');
    expect(answered.status?.conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['Ready', 'True'],
      ['ExportsReady', 'True'],
    ]);
  });

  it('makes no more exports for one consumer than the bound, serves the others meanwhile, and goes on when one is gone', async () => {
    await provide('databases');
    await controllers.stop();
    const greedy = namespace;
    const resourcesOf = [{ group, resource: 'databases', versions: ['v1'] }];
    await Promise.all(Array.from({ length: 60 }, (_, index) => ask(`r${index}`, { resources: resourcesOf })));
    namespace = uniqueNamespace('kube-bind');
    const neighbour = namespace;
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: neighbour },
    });
    await ask('databases', { resources: resourcesOf, namespaces: [{ name: 'a' }, { name: 'b' }] });
    await start({ exportsPerConsumer: 30, namespacesPerConsumer: 3 });
    await waitForPhase('databases', 'Succeeded');
    await eventually(async () => {
      expect(await cluster.read(resources.apiServiceNamespaces, { namespace: neighbour, name: 'b' })).toBeDefined();
    });
    await ask('more', { resources: resourcesOf, namespaces: [{ name: 'b' }, { name: 'c' }, { name: 'd' }] });
    const exportsOf = async (of: string): Promise<readonly string[]> =>
      (await cluster.client.list<KubeObject>(resources.apiServiceExports, { namespace: of })).items.map(
        ({ metadata }) => metadata.name,
      );
    await waitForReason('more', 'TooManyNamespaces');
    expect(await exportsOf(neighbour)).toEqual(['databases']);
    const requests = async (): Promise<readonly APIServiceExportRequest[]> =>
      (await cluster.client.list<APIServiceExportRequest>(resources.apiServiceExportRequests, { namespace: greedy }))
        .items;
    const held = async (): Promise<readonly string[]> =>
      (await requests())
        .filter(({ status }) => status?.conditions?.some(({ reason }) => reason === 'TooManyExports') === true)
        .map(({ metadata }) => metadata.name);
    await eventually(
      async () => {
        expect(await held()).toHaveLength(30);
      },
      { timeoutMs: 60_000 },
    );
    expect(await exportsOf(greedy)).toHaveLength(30);
    const order = (await cluster.settledWrites()).flatMap(({ verb, resource, namespace: where }) =>
      verb === 'create' && resource === 'apiserviceexports' && (where === greedy || where === neighbour) ? [where] : [],
    );
    expect(order).toHaveLength(31);
    expect(order.indexOf(neighbour)).toBeLessThan(30);

    // A request that is withdrawn leaves its export, and that counts; room is made by who may delete exports.
    const [first = ''] = await exportsOf(greedy);
    await cluster.client.delete(resources.apiServiceExportRequests, { namespace: greedy, name: first });
    await cluster.settledWrites();
    expect(await exportsOf(greedy)).toHaveLength(30);
    await cluster.client.delete(resources.apiServiceExports, { namespace: greedy, name: first });
    await eventually(
      async () => {
        expect(await held()).toHaveLength(29);
        expect(await exportsOf(greedy)).toHaveLength(30);
      },
      { timeoutMs: 60_000 },
    );
    await cluster.client.delete(resources.apiServiceNamespaces, { namespace: neighbour, name: 'a' });
    await controllers.stop();
    await start();
    await waitForPhase('more', 'Succeeded');
  }, 180_000);
});
