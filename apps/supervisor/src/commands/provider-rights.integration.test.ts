import { type Client, createClient, type KubeObject, type Resource, type UnstructuredObject } from '@hawser/client';
import {
  consumerPolicy,
  consumerPolicyBinding,
  consumerRoles,
  policyResources,
  providerPolicy,
  providerPolicyBinding,
} from '@hawser/exportrbac';
import {
  type APIServiceExport,
  type APIServiceNamespace,
  type BindableResourcesRequest,
  getCondition,
  kubeBindDialect,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../../packages/provider/servicenamespace/src/testing/provider-cluster.js';
import { parseConfig } from '@hawser/config';
import { spokenDialect } from '../spoken-dialect.js';
import { providerRoles } from './provider-rights.js';

const rbac = 'rbac.authorization.k8s.io';
const databases = { group: 'example.com', resource: 'databases' };
const LONG = { timeoutMs: 90_000, intervalMs: 100 };
const config = parseConfig(
  {
    provider: {
      requestAdmission: 'Exported',
      requestNamespaces: ['onboarding'],
      informerScope: 'Namespaced',
      consumerLimits: { clusterNamespace: { resourceQuota: { hard: { 'count/configmaps': '10' } } } },
    },
  },
  'test',
).provider;

/** One with the provider role's own credential, as it was stolen from it. */
describeWithControlPlane('the rights of the provider role', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let thief: Client;
  let consumer: string;

  beforeAll(async () => {
    const roles = providerRoles({ config, exported: [databases], namespace: 'hawser', replacesBackend: true });
    cluster = await openProviderCluster(
      roles
        .filter(({ namespace }) => namespace === undefined)
        .flatMap(({ rules }) => rules as Parameters<typeof openProviderCluster>[0]),
      { controllerManager: true },
    );
    const user = { apiGroup: rbac, kind: 'User', name: 'hawser-under-test' };
    for (const name of ['hawser', 'onboarding', 'victim'])
      await make(cluster.client, resources.namespaces, 'v1', 'Namespace', { metadata: { name } });
    for (const { name, namespace = '', rules } of roles.filter((role) => role.namespace !== undefined)) {
      await make(cluster.client, { ...resources.clusterRoles, resource: 'roles' }, `${rbac}/v1`, 'Role', {
        metadata: { name, namespace },
        rules,
      });
      await make(cluster.client, resources.roleBindings, `${rbac}/v1`, 'RoleBinding', {
        metadata: { name, namespace },
        roleRef: { apiGroup: rbac, kind: 'Role', name },
        subjects: [user],
      });
    }
    for (const role of consumerRoles([databases], kubeBindDialect))
      await cluster.client.create(resources.clusterRoles, role);
    await cluster.client.create(policyResources.policies, consumerPolicy(kubeBindDialect));
    await cluster.client.create(policyResources.bindings, consumerPolicyBinding(kubeBindDialect));
    // Whom the thief would like to be.
    await make(cluster.client, resources.serviceAccounts, 'v1', 'ServiceAccount', {
      metadata: { name: 'admin', namespace: 'victim' },
    });
    await make(cluster.client, resources.clusterRoleBindings, `${rbac}/v1`, 'ClusterRoleBinding', {
      metadata: { name: 'admins' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'admin', namespace: 'victim' }],
    });
    thief = createClient({ name: 'provider', connection: cluster.connection });
    await cluster.client.create(
      policyResources.policies,
      providerPolicy({ provider: 'hawser-under-test', requestNamespaces: ['onboarding'] }),
    );
    await cluster.client.create(policyResources.bindings, providerPolicyBinding);
    await eventually(async () => {
      await expect(
        thief.create(
          resources.serviceAccounts,
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'probe', namespace: 'victim' } },
          { dryRun: true },
        ),
      ).rejects.toThrow('the provider role writes ServiceAccounts');
    }, LONG);
    const { server, caData } = cluster.plane.connection;
    running = await cluster.run(...spokenDialect('kube-bind', config, () => ({ server, caData })).controllers);
  }, 180_000);
  afterAll(async () => {
    await running.stop();
    await thief.close();
    await cluster.close();
  });

  const make = (
    client: Client,
    resource: Resource,
    apiVersion: string,
    kind: string,
    object: object,
  ): Promise<KubeObject> => client.create(resource, { apiVersion, kind, ...object } as UnstructuredObject);

  it('are enough to onboard a consumer, to bind an API with a claim for it, and to give it a namespace', async () => {
    await make(
      cluster.client,
      resources.customResourceDefinitions,
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      {
        metadata: { name: 'databases.example.com', labels: { 'kube-bind.io/exported': 'true' } },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
            },
          ],
        },
      },
    );
    await make(
      cluster.client,
      resources.bindableResourcesRequests,
      'kube-bind.io/v1alpha2',
      'BindableResourcesRequest',
      {
        metadata: { name: 'acme', namespace: 'onboarding' },
        spec: { author: 'jane', clusterIdentity: { identity: 'acme' } },
      },
    );
    consumer = await eventually(async () => {
      const { status } = await cluster.client.get<BindableResourcesRequest>(resources.bindableResourcesRequests, {
        namespace: 'onboarding',
        name: 'acme',
      });
      if (status?.phase !== 'Succeeded' || status.namespace === undefined) throw new Error(JSON.stringify(status));
      return status.namespace;
    }, LONG);
    await make(cluster.client, resources.apiServiceExportRequests, 'kube-bind.io/v1alpha2', 'APIServiceExportRequest', {
      metadata: { name: 'databases', namespace: consumer },
      spec: {
        resources: [{ ...databases, versions: ['v1'] }],
        permissionClaims: [{ group: '', resource: 'secrets', selector: {} }],
      },
    });
    await make(cluster.client, resources.apiServiceNamespaces, 'kube-bind.io/v1alpha2', 'APIServiceNamespace', {
      metadata: { name: 'team-a', namespace: consumer },
    });
    await eventually(async () => {
      expect(
        (
          await cluster.client.get<APIServiceNamespace>(resources.apiServiceNamespaces, {
            namespace: consumer,
            name: 'team-a',
          })
        ).status?.namespace,
      ).toBe(`${consumer}-team-a`);
      expect(
        (await cluster.client.list(resources.roleBindings, { namespace: `${consumer}-team-a` })).items
          .map(({ metadata }) => metadata.name.split(':')[2])
          .sort(),
      ).toEqual(['claims', 'objects']);
      const { status } = await cluster.client.get<APIServiceExport>(resources.apiServiceExports, {
        namespace: consumer,
        name: 'databases',
      });
      expect(getCondition(status?.conditions, 'RightsGranted')).toBeUndefined();
    }, LONG);
    // A token that expires, and the end of the first one.
    await cluster.client.patch(
      resources.namespaces,
      { name: consumer },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/credential': 'Rotating' } } } },
    );
    await eventually(async () => {
      expect(
        (await cluster.client.get<Secret>(resources.secrets, { namespace: consumer, name: 'kubeconfig' })).metadata
          .annotations?.['hawser.dev/credential-slot'],
      ).toBe('kube-binder-next');
    }, LONG);
    await cluster.client.patch(
      resources.namespaces,
      { name: consumer },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': 'gone' } } } },
    );
    await eventually(async () => {
      expect(
        (await cluster.client.list(resources.serviceAccounts, { namespace: consumer })).items.map(
          ({ metadata }) => metadata.name,
        ),
      ).toEqual(['default']);
    }, LONG);
    await cluster.client.patch(
      resources.namespaces,
      { name: consumer },
      {
        type: 'merge',
        patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': null, 'hawser.dev/credential': null } } },
      },
    );
    await eventually(async () => {
      expect(
        (await cluster.client.list(resources.serviceAccounts, { namespace: consumer })).items.map(
          ({ metadata }) => metadata.name,
        ),
      ).toEqual(['default', 'kube-binder']);
    }, LONG);
    await eventually(async () => {
      expect(
        (await cluster.client.get<Secret>(resources.secrets, { namespace: consumer, name: 'kube-binder' })).type,
      ).toBe('kubernetes.io/service-account-token');
    }, LONG);
  });

  const token = (name: string, namespace: string, account: string): object => ({
    metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });
  const binding = (metadata: object, role: string, subject: object): object => ({
    metadata,
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
    subjects: [subject],
  });
  const binder = (namespace: string): object => ({ kind: 'ServiceAccount', name: 'kube-binder', namespace });
  const self = { apiGroup: rbac, kind: 'User', name: 'hawser-under-test' };

  it.each<[string, () => Promise<unknown>]>([
    [
      'a token of the administrator, in a Secret that it may read',
      () => make(thief, resources.secrets, 'v1', 'Secret', token('kube-binder', 'victim', 'admin')),
    ],
    [
      "a token of a ServiceAccount of a consumer's namespace",
      () => make(thief, resources.secrets, 'v1', 'Secret', token('kube-binder-next', consumer, 'default')),
    ],
    [
      'a token of a consumer under another name',
      () => make(thief, resources.secrets, 'v1', 'Secret', token('other', consumer, 'kube-binder')),
    ],
    [
      'a token by way of a Secret that is there',
      () =>
        thief.patch(
          resources.secrets,
          { namespace: consumer, name: 'kube-binder' },
          { type: 'merge', patch: { metadata: { annotations: { 'kubernetes.io/service-account.name': 'default' } } } },
        ),
    ],
    [
      'a bootstrap token',
      () =>
        make(thief, resources.secrets, 'v1', 'Secret', {
          metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
          type: 'bootstrap.kubernetes.io/token',
        }),
    ],
    [
      'a token where requests are answered',
      () => make(thief, resources.secrets, 'v1', 'Secret', token('mine', 'onboarding', 'default')),
    ],
    [
      "a Secret in a namespace that is nobody's",
      () =>
        make(thief, resources.secrets, 'v1', 'Secret', {
          metadata: { name: 'cluster-credentials', namespace: 'victim' },
          stringData: { token: 'x' },
        }),
    ],
    [
      "a ServiceAccount where another one's rights wait for it",
      () =>
        make(thief, resources.serviceAccounts, 'v1', 'ServiceAccount', {
          metadata: { name: 'expected', namespace: 'victim' },
        }),
    ],
    [
      "a kube-binder in a namespace that is not a consumer's",
      () =>
        make(thief, resources.serviceAccounts, 'v1', 'ServiceAccount', {
          metadata: { name: 'kube-binder', namespace: 'victim' },
        }),
    ],
    [
      'all Secrets for itself',
      () =>
        make(
          thief,
          resources.clusterRoleBindings,
          `${rbac}/v1`,
          'ClusterRoleBinding',
          binding({ name: 'mine' }, 'kube-binder:claims:secrets.core', self),
        ),
    ],
    [
      'all Secrets for a consumer',
      () =>
        make(
          thief,
          resources.clusterRoleBindings,
          `${rbac}/v1`,
          'ClusterRoleBinding',
          binding(
            { name: `kube-binder:${consumer}:claims:secrets.core` },
            'kube-binder:claims:secrets.core',
            binder(consumer),
          ),
        ),
    ],
    [
      'the Secrets of another namespace for a consumer',
      () =>
        make(
          thief,
          resources.roleBindings,
          `${rbac}/v1`,
          'RoleBinding',
          binding(
            { name: `kube-binder:${consumer}:claims:secrets.core`, namespace: 'victim' },
            'kube-binder:claims:secrets.core',
            binder(consumer),
          ),
        ),
    ],
    [
      'the Secrets of another namespace for itself',
      () =>
        make(
          thief,
          resources.roleBindings,
          `${rbac}/v1`,
          'RoleBinding',
          binding({ name: 'mine', namespace: 'kube-system' }, 'kube-binder', self),
        ),
    ],
    [
      'the Secrets of a cluster namespace for its consumer to write',
      () =>
        make(
          thief,
          resources.roleBindings,
          `${rbac}/v1`,
          'RoleBinding',
          binding(
            { name: `kube-binder:${consumer}:claims:secrets.core`, namespace: consumer },
            'kube-binder:claims:secrets.core',
            binder(consumer),
          ),
        ),
    ],
    [
      'itself into a binding of a consumer',
      () =>
        thief.patch(
          resources.roleBindings,
          { namespace: `${consumer}-team-a`, name: `kube-binder:${consumer}:claims:secrets.core` },
          { type: 'merge', patch: { subjects: [self] } },
        ),
    ],
    [
      'a namespace with rights that are opened to consumers',
      () =>
        make(thief, resources.namespaces, 'v1', 'Namespace', {
          metadata: {
            name: 'opened',
            annotations: {
              'hawser.dev/shared-namespace': 'true',
              'kube-bind.io/api-service-namespace': `${consumer}/x`,
            },
          },
        }),
    ],
    [
      'a namespace of its own',
      () => make(thief, resources.namespaces, 'v1', 'Namespace', { metadata: { name: 'mine' } }),
    ],
    [
      'a CRD of another group',
      () =>
        make(thief, resources.customResourceDefinitions, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
          metadata: { name: 'things.other.example' },
          spec: {
            group: 'other.example',
            scope: 'Namespaced',
            names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        }),
    ],
    [
      'a quota where it has no business',
      () =>
        make(thief, { ...resources.secrets, resource: 'resourcequotas' }, 'v1', 'ResourceQuota', {
          metadata: { name: 'hawser', namespace: 'victim' },
          spec: { hard: { pods: '0' } },
        }),
    ],
  ])('do not yield %s', async (_, attempt) => {
    const error: unknown = await attempt().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toMatch(/denied request: .*the provider role/u);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a binding of another one', () => thief.delete(resources.clusterRoleBindings, { name: 'admins' })],
    ["a ClusterRole that is not a Go backend's", () => thief.delete(resources.clusterRoles, { name: 'view' })],
  ])('do not remove %s', async (_, attempt) => {
    const error: unknown = await attempt().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toMatch(/denied request: .*the provider role/u);
  });

  it('ask for tokens of no other ServiceAccount', async () => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    await expect(
      thief.create(
        resources.serviceAccounts,
        { ...review, metadata: { name: 'admin', namespace: 'victim' } },
        { subresource: 'token' },
      ),
    ).rejects.toThrow(/serviceaccounts/u);
    await make(cluster.client, resources.serviceAccounts, 'v1', 'ServiceAccount', {
      metadata: { name: 'kube-binder', namespace: 'victim' },
    });
    await expect(
      thief.create(
        resources.serviceAccounts,
        { ...review, metadata: { name: 'kube-binder', namespace: 'victim' } },
        { subresource: 'token' },
      ),
    ).rejects.toThrow('the provider role');
  });
});
