import { type Client, createClient, type KubeObject, type Resource, type UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { installCRDs as installKlutchCRDs, klutchDialect, providerCRDs as klutchCRDs } from '@hawser/klutch';
import { installCRDs, kubeBindDialect, providerCRDs, resources } from '@hawser/kube-bind';
import {
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  startControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { policyResources } from './admission-policy.js';
import { consumerBounds, consumerBoundsBinding, consumerBoundsName } from './consumer-bounds.js';

const refused = {
  code: 'Forbidden',
  message: expect.stringMatching(new RegExp(`'${consumerBoundsName}' denied request: (?!expression)`, 'u')),
};
const widgets: Resource = { group: 'example.com', version: 'v1', resource: 'widgets' };

describeWithControlPlane('the bounds of what consumers write', () => {
  let plane: ControlPlane;
  let admin: Client;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'provider' });
    admin = createClient({ name: 'admin', connection: plane.connection });
    await installCRDs(admin, providerCRDs, { clock: systemClock });
    await installKlutchCRDs(admin, klutchCRDs, { clock: systemClock });
    await admin.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
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
    await admin.create(policyResources.policies, consumerBounds);
    await admin.create(policyResources.bindings, consumerBoundsBinding);
  });
  afterAll(async () => {
    await admin.close();
    await plane.stop();
  });

  describe.each([kubeBindDialect, klutchDialect])('$name', (dialect) => {
    const other = dialect === kubeBindDialect ? klutchDialect : kubeBindDialect;
    const kinds = dialect.resources;
    let consumer: string;
    let client: Client;

    // Rights are of no interest here: a consumer that had all of them.
    beforeEach(async () => {
      consumer = uniqueNamespace('kube-bind');
      await make(admin, resources.namespaces, 'v1', 'Namespace', { name: consumer });
      await make(admin, resources.namespaces, 'v1', 'Namespace', { name: `${consumer}-team-a` });
      const user = `system:serviceaccount:${consumer}:${dialect.names.binder}`;
      await make(
        admin,
        resources.clusterRoleBindings,
        'rbac.authorization.k8s.io/v1',
        'ClusterRoleBinding',
        { name: consumer },
        {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        },
      );
      client = createClient({ name: 'consumer', connection: (await plane.userAccess(user)).connection });
      await eventually(
        async () => {
          await expect(ask('probe', {}, { finalizers: ['example.com/hold'] })).rejects.toMatchObject(refused);
        },
        { timeoutMs: 60_000 },
      );
    });

    const make = (
      as: Client,
      resource: Resource,
      apiVersion: string,
      kind: string,
      metadata: object,
      fields: object = {},
    ): Promise<KubeObject> => as.create(resource, { apiVersion, kind, metadata, ...fields } as UnstructuredObject);
    const ask = (name: string, spec: object = {}, metadata: object = {}): Promise<KubeObject> =>
      make(
        client,
        kinds.apiServiceExportRequests,
        dialect.apiVersion,
        'APIServiceExportRequest',
        { name, namespace: consumer, ...metadata },
        { spec: { resources: [{ group: 'example.com', resource: 'widgets' }], ...spec } },
      );
    const widget = (as: Client, namespace: string, name: string, metadata: object = {}): Promise<KubeObject> =>
      make(as, widgets, 'example.com/v1', 'Widget', { name, namespace, ...metadata });
    const fill = (status: object): Promise<unknown> =>
      client.patch(
        kinds.clusterBindings,
        { namespace: consumer, name: 'cluster' },
        { type: 'merge', patch: { status } },
        { subresource: 'status' },
      );
    const condition = (n: number, bytes: number): object => ({
      type: `C${n}`,
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'Because',
      message: 'x'.repeat(bytes),
    });
    const list = (length: number, each: (n: number) => unknown = String): unknown[] =>
      Array.from({ length }, (_, n) => each(n));

    it('let through what konnectors write', async () => {
      await make(
        admin,
        kinds.clusterBindings,
        dialect.apiVersion,
        'ClusterBinding',
        { name: 'cluster', namespace: consumer },
        { spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' } },
      );
      await fill({
        lastHeartbeatTime: '2026-01-01T00:00:00Z',
        heartbeatInterval: '5m0s',
        konnectorVersion: 'v0.8.1',
        conditions: list(10, (n) => condition(n, 4_096)),
      });
      await ask(
        'databases',
        { parameters: { size: 3, plan: 'small', tags: ['a', 'b'], limits: { cpu: 1, burst: true } } },
        {
          labels: { team: 'a' },
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(10_000) },
        },
      );
      await client.patch(
        kinds.apiServiceExportRequests,
        { namespace: consumer, name: 'databases' },
        { type: 'merge', patch: { metadata: { labels: { team: 'b' } } } },
      );
      await client.delete(kinds.apiServiceExportRequests, { namespace: consumer, name: 'databases' });
      await make(client, kinds.apiServiceNamespaces, dialect.apiVersion, 'APIServiceNamespace', {
        name: 'team-a',
        namespace: consumer,
      });
      await widget(client, `${consumer}-team-a`, 'orders', {
        annotations: { [dialect.annotations.clusterNamespace]: consumer },
      });
      await client.patch(
        widgets,
        { namespace: `${consumer}-team-a`, name: 'orders' },
        { type: 'merge', patch: { spec: { size: 2 } } },
      );
      await client.delete(widgets, { namespace: `${consumer}-team-a`, name: 'orders' });
      await make(
        client,
        resources.secrets,
        'v1',
        'Secret',
        { name: 'kubeconfig', namespace: `${consumer}-team-a` },
        { stringData: { a: 'x'.repeat(10_000) } },
      );
      await make(
        client,
        resources.secrets,
        'v1',
        'Secret',
        { name: 'large', namespace: `${consumer}-team-a` },
        { stringData: { a: 'x'.repeat(500_000) } },
      );
      // What a person has put a finalizer on.
      await widget(admin, `${consumer}-team-a`, 'held', { finalizers: ['example.com/hold'] });
      await client.patch(
        widgets,
        { namespace: `${consumer}-team-a`, name: 'held' },
        { type: 'merge', patch: { spec: { size: 2 } } },
      );
    });

    it.each<[string, object, object?]>([
      ['parameters of a megabyte', { parameters: { a: 'x'.repeat(1_000_000) } }],
      [
        'parameters of a thousand parts',
        { parameters: Object.fromEntries(list(1_000, (n) => [`k${n}`, 'x']) as [string, string][]) },
      ],
      ['parameters within parameters', { parameters: { a: { b: { c: 'x' } } } }],
      ['parameters in a list of lists', { parameters: { a: [['x']] } }],
      ['a thousand resources', { resources: list(1_000, (n) => ({ group: 'example.com', resource: `r${n}x` })) }],
      ['a thousand versions', { resources: [{ group: 'example.com', resource: 'widgets', versions: list(1_000) }] }],
      [
        'a thousand claims',
        dialect === kubeBindDialect
          ? { permissionClaims: list(1_000, () => ({ group: '', resource: 'secrets', selector: {} })) }
          : {
              resources: [
                {
                  group: 'example.com',
                  resource: 'widgets',
                  permissionClaims: list(1_000, () => ({ group: '', resource: 'secrets' })),
                },
              ],
            },
      ],
      [
        'a thousand labels',
        {},
        { labels: Object.fromEntries(list(1_000, (n) => [`l${n}`, 'x']) as [string, string][]) },
      ],
      ['annotations of a hundred kilobytes', {}, { annotations: { a: 'x'.repeat(100_000) } }],
      [
        'a thousand owners',
        {},
        { ownerReferences: list(1_000, (n) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `n${n}`, uid: `u${n}` })) },
      ],
      ['a finalizer', {}, { finalizers: ['example.com/hold'] }],
    ])('refuse a request with %s', async (_, spec, metadata = {}) => {
      await expect(ask('large', spec, metadata)).rejects.toMatchObject(refused);
    });

    it.each<[string, object]>([
      ['a version of a megabyte', { konnectorVersion: 'x'.repeat(1_000_000) }],
      ['an interval of a megabyte', { heartbeatInterval: 'x'.repeat(1_000_000) }],
      ['a condition of a megabyte', { conditions: list(1, (n) => condition(n, 1_000_000)) }],
      ['a thousand conditions', { conditions: list(1_000, (n) => condition(n, 1)) }],
    ])('refuse a status with %s', async (_, status) => {
      await make(
        admin,
        kinds.clusterBindings,
        dialect.apiVersion,
        'ClusterBinding',
        { name: 'cluster', namespace: consumer },
        { spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' } },
      );
      await expect(fill(status)).rejects.toMatchObject(refused);
    });

    it('refuse a large Secret of a name that the provider role reads', async () => {
      await expect(
        make(
          client,
          resources.secrets,
          'v1',
          'Secret',
          { name: 'kubeconfig', namespace: `${consumer}-team-a` },
          { stringData: { a: 'x'.repeat(500_000) } },
        ),
      ).rejects.toMatchObject(refused);
    });

    it('refuse a write in the name of a Go backend, and none to what that wrote', async () => {
      const object = {
        apiVersion: dialect.apiVersion,
        kind: 'APIServiceNamespace',
        metadata: { name: 'team-a', namespace: consumer, labels: { 'kube-bind.io/owner': 'provider' } },
      };
      await expect(
        client.create(kinds.apiServiceNamespaces, object, { fieldManager: 'backend' }),
      ).rejects.toMatchObject(refused);
      const request = {
        apiVersion: dialect.apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'left', namespace: consumer },
        spec: { resources: [{ group: 'example.com', resource: 'widgets' }] },
      } as UnstructuredObject;
      await admin.create(kinds.apiServiceExportRequests, request, { fieldManager: 'backend' });
      await client.patch(
        kinds.apiServiceExportRequests,
        { namespace: consumer, name: 'left' },
        { type: 'merge', patch: { metadata: { labels: { team: 'a' } } } },
      );
      await client.delete(kinds.apiServiceExportRequests, { namespace: consumer, name: 'left' });
    });

    it('refuse a finalizer on a copy', async () => {
      await expect(
        widget(client, `${consumer}-team-a`, 'orders', { finalizers: ['example.com/hold'] }),
      ).rejects.toMatchObject(refused);
      await widget(client, `${consumer}-team-a`, 'orders');
      await expect(
        client.patch(
          widgets,
          { namespace: `${consumer}-team-a`, name: 'orders' },
          { type: 'merge', patch: { metadata: { finalizers: ['example.com/hold'] } } },
        ),
      ).rejects.toMatchObject(refused);
    });

    it('keep it from copies of the other dialect, and from unmarked objects of the provider, where names are shared', async () => {
      const shared = uniqueNamespace('team');
      await make(admin, resources.namespaces, 'v1', 'Namespace', { name: shared });
      await widget(admin, shared, 'of-another', {
        annotations: { [other.annotations.clusterNamespace]: 'kube-bind-other' },
      });
      await widget(admin, shared, 'of-the-provider');
      await widget(client, shared, 'own', { annotations: { [dialect.annotations.clusterNamespace]: consumer } });
      for (const name of ['of-another', 'of-the-provider']) {
        await expect(
          client.patch(widgets, { namespace: shared, name }, { type: 'merge', patch: { spec: { size: 2 } } }),
        ).rejects.toMatchObject(refused);
        await expect(client.delete(widgets, { namespace: shared, name })).rejects.toMatchObject(refused);
      }
      await expect(
        client.patch(
          widgets,
          { namespace: shared, name: 'own' },
          {
            type: 'merge',
            patch: { metadata: { annotations: { [other.annotations.clusterNamespace]: 'kube-bind-other' } } },
          },
        ),
      ).rejects.toMatchObject(refused);
      await client.patch(widgets, { namespace: shared, name: 'own' }, { type: 'merge', patch: { spec: { size: 2 } } });
      await client.delete(widgets, { namespace: shared, name: 'own' });
    });
  });
});
