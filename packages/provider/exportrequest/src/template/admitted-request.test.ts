import type { Faults } from '@hawser/apiserver';
import { type APIServiceExport, type APIServiceExportRequest, isWithdrawn, resources } from '@hawser/kube-bind';
import { eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type EmbeddedProvider,
  openEmbeddedProvider,
} from '../../../servicenamespace/src/testing/embedded-provider.js';
import { createExportController } from '../export-controller.js';
import { createExportRequestController } from '../export-request-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const group = 'example.com';
const everything = [{ group: '', resource: 'secrets', selector: { labelSelector: {} } }];

describe('a request that changes while it is answered', () => {
  let provider: EmbeddedProvider;
  let namespace: string;

  const provide = (plural: string): Promise<unknown> =>
    provider.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
  const requestOf = (spec: object): object => ({
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: { name: 'databases', namespace },
    spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }], ...spec },
  });
  const key = (): { readonly namespace: string; readonly name: string } => ({ namespace, name: 'databases' });
  const reasonOf = async (): Promise<string | undefined> =>
    (await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key()))?.status?.conditions?.find(
      ({ type }) => type === 'ExportsReady',
    )?.reason;

  beforeAll(async () => {
    provider = await openEmbeddedProvider();
    await provide('databases');
    await provide('vaults');
    // As another program installed it, which lets a field be added.
    await provider.client.patch(
      resources.customResourceDefinitions,
      { name: 'apiserviceexportrequests.kube-bind.io' },
      {
        type: 'json',
        operations: [
          { op: 'remove', path: '/spec/versions/1/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations' },
        ],
      },
    );
    await provider.create(resources.apiServiceExportTemplates, {
      apiVersion,
      kind: 'APIServiceExportTemplate',
      metadata: { name: 'databases' },
      spec: { scope: 'Namespaced', resources: [{ group, resource: 'databases', versions: ['v1'] }] },
    });
    const rbac = 'rbac.authorization.k8s.io';
    await provider.create(resources.clusterRoles, {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'bind' },
      rules: [
        {
          apiGroups: ['kube-bind.io'],
          resources: ['apiserviceexporttemplates'],
          resourceNames: ['databases'],
          verbs: ['bind'],
        },
      ],
    });
    await provider.create(resources.clusterRoleBindings, {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'bind' },
      subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:serviceaccounts' }],
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'bind' },
    });
  });
  afterAll(() => provider.close());
  beforeEach(async () => {
    namespace = uniqueNamespace('consumer');
    await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await provider.create(resources.clusterBindings, {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { name: 'cluster', namespace },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'P' },
    });
  });

  /**
   * Does something, and lets the controller hear of it, while such a write is under way, by default that of the first BoundSchema: the
   * request was admitted then, and its export is not made yet.
   */
  async function answered(
    meanwhile: () => Promise<unknown>,
    method = 'POST',
    path = '/boundschemas',
  ): Promise<{ stop(): Promise<void> }> {
    let done = false;
    const faults: Faults = (request) => {
      if (done || request.method !== method || !request.path.includes(path)) return undefined;
      done = true;
      return { after: meanwhile() };
    };
    const running = await provider.run(
      [createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', admission: 'Template' })],
      faults,
    );
    await provider.create(resources.apiServiceExportRequests, requestOf({}));
    await eventually(() => {
      expect(done).toBe(true);
    });
    return running;
  }

  it('gets no claim that was added after it was admitted', async () => {
    const running = await answered(() =>
      provider.change(resources.apiServiceExportRequests, key(), { spec: { permissionClaims: everything } }),
    );
    await eventually(async () => {
      expect(await reasonOf()).toBe('ExceedsTemplate');
    });
    expect(await provider.read(resources.apiServiceExports, key())).toBeUndefined();
    await running.stop();
  });

  it('is not called answered if it asks for more by the time that is written', async () => {
    const running = await answered(
      () => provider.change(resources.apiServiceExportRequests, key(), { spec: { permissionClaims: everything } }),
      'PATCH',
      '/apiserviceexportrequests/databases/status',
    );
    await eventually(async () => {
      expect(await reasonOf()).toBe('ExportConflict');
    });
    expect(
      (await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key()))?.status?.phase,
    ).toBe('Pending');
    await running.stop();
  });

  it('is judged anew if it is another one of that name', async () => {
    const running = await answered(async () => {
      await provider.client.delete(resources.apiServiceExportRequests, key());
      await provider.heard(
        resources.apiServiceExportRequests,
        await provider.create(
          resources.apiServiceExportRequests,
          requestOf({ resources: [{ group, resource: 'vaults', versions: ['v1'] }] }),
        ),
      );
    });
    await eventually(async () => {
      expect(await reasonOf()).toBe('NotOffered');
    });
    expect(await provider.read(resources.apiServiceExports, key())).toBeUndefined();
    expect(await provider.read(resources.boundSchemas, { namespace, name: `vaults.${group}` })).toBeUndefined();
    await running.stop();
  });

  it('has no say about schema changes that no template offers, if it takes the place of one that is answered', async () => {
    const running = await provider.run([
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', admission: 'Template' }),
    ]);
    const created = await provider.create(resources.apiServiceExportRequests, requestOf({}));
    const isAnswered = async (): Promise<void> => {
      expect(
        (await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key()))?.status?.phase,
      ).toBe('Succeeded');
    };
    await eventually(isAnswered);
    expect(
      (await provider.read<APIServiceExport>(resources.apiServiceExports, key()))?.metadata.annotations?.[
        'hawser.dev/request'
      ],
    ).toBe(created.metadata.uid);
    await provider.client.delete(resources.apiServiceExportRequests, key());
    await provider.create(resources.apiServiceExportRequests, requestOf({ schemaUpdatePolicy: 'Always' }));
    await eventually(async () => {
      expect(await reasonOf()).toBe('ExceedsTemplate');
    });
    // One like the first is answered.
    await provider.client.delete(resources.apiServiceExportRequests, key());
    await provider.create(resources.apiServiceExportRequests, requestOf({}));
    await eventually(isAnswered);
    await running.stop();
  });

  it('does not get its export back by saying that it is bound again, once no template offers it; and does when one offers it again', async () => {
    const template = (plural: string): Promise<unknown> =>
      provider.client.patch(
        resources.apiServiceExportTemplates,
        { name: 'databases' },
        { type: 'merge', patch: { spec: { resources: [{ group, resource: plural, versions: ['v1'] }] } } },
      );
    const unbound = (status: 'False' | 'True'): Promise<unknown> =>
      provider.client.patch(
        resources.apiServiceExports,
        key(),
        {
          type: 'merge',
          patch: { status: { conditions: [{ type: 'Unbound', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
        },
        { subresource: 'status' },
      );
    const withdrawn = async (): Promise<boolean> =>
      isWithdrawn((await provider.read<APIServiceExport>(resources.apiServiceExports, key()))?.metadata ?? {});
    const running = await provider.run([
      createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed', admission: 'Template' }),
      createExportController({ admission: 'Template' }),
    ]);
    await provider.create(resources.apiServiceExportRequests, requestOf({}));
    await eventually(async () => {
      expect(
        (await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key()))?.status?.phase,
      ).toBe('Succeeded');
    });
    await template('zones');
    // What a template no longer offers stays with whoever has it.
    expect(await withdrawn()).toBe(false);
    await unbound('True');
    await eventually(async () => {
      expect(await withdrawn()).toBe(true);
    });
    await unbound('False');
    await eventually(() => {
      expect(
        provider.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
      ).toContain('RestoreRefused');
    });
    expect(await withdrawn()).toBe(true);
    await template('databases');
    await eventually(async () => {
      expect(await withdrawn()).toBe(false);
    });
    await running.stop();
  });

  it('gets no namespaces beyond the bound by adding them after it was answered', async () => {
    // Those that it made itself count, too.
    for (const name of ['a', 'b', 'c'])
      await provider.create(resources.apiServiceNamespaces, {
        apiVersion,
        kind: 'APIServiceNamespace',
        metadata: { name, namespace },
        spec: {},
      });
    const running = await provider.run([
      createExportRequestController({
        informerScope: 'Cluster',
        isolation: 'Prefixed',
        admission: 'Template',
        namespacesPerConsumer: 5,
      }),
    ]);
    await provider.create(resources.apiServiceExportRequests, requestOf({}));
    await eventually(async () => {
      expect(
        (await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key()))?.status?.phase,
      ).toBe('Succeeded');
    });
    await provider.client.patch(resources.apiServiceExportRequests, key(), {
      type: 'merge',
      patch: { spec: { namespaces: Array.from({ length: 3 }, (_, index) => ({ name: `n${index}` })) } },
    });
    await eventually(async () => {
      expect(await reasonOf()).toBe('TooManyNamespaces');
    });
    expect(
      (await provider.client.list(resources.apiServiceNamespaces, { namespace })).items.map(
        ({ metadata }) => metadata.name,
      ),
    ).toEqual(['a', 'b', 'c']);
    await running.stop();
  });

  it('is judged anew if the template that admitted it has changed', async () => {
    const running = await answered(() =>
      provider.change(
        resources.apiServiceExportTemplates,
        { name: 'databases' },
        { spec: { resources: [{ group, resource: 'zones', versions: ['v1'] }] } },
      ),
    );
    await eventually(async () => {
      expect(await reasonOf()).toBe('NotOffered');
    });
    expect(await provider.read<APIServiceExport>(resources.apiServiceExports, key())).toBeUndefined();
    await running.stop();
    await provider.client.patch(
      resources.apiServiceExportTemplates,
      { name: 'databases' },
      { type: 'merge', patch: { spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }] } } },
    );
  });
});
