import { join } from 'node:path';
import { type Client, type KubeObject, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { consumerCRDs, installCRDs, resources } from '@hawser/kube-bind';
import { installCRDs as installAgentCRDs } from '@hawser/syncagent-api';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderChart } from './chart.js';
import { type Plane, onGivenClusters, openPlane } from './plane.js';
import { root } from './root.js';
import { serviceAccountConnection } from './service-account.js';

const templates = ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml', 'admissionpolicy.yaml'];
const core = (resource: string): Resource => ({ group: '', version: 'v1', resource });
const { secrets, configMaps, serviceAccounts, namespaces } = {
  secrets: core('secrets'),
  configMaps: core('configmaps'),
  serviceAccounts: core('serviceaccounts'),
  namespaces: core('namespaces'),
};
const crds = resources.customResourceDefinitions;
const LONG = { timeoutMs: 90_000, intervalMs: 100 };
const providerUid = 'kube-bind.io/provider-uid';
const owner = 'kube-bind.io/owner';

const make = (
  client: Client,
  resource: Resource,
  kind: string,
  object: object,
  apiVersion = 'v1',
): Promise<KubeObject> => client.create(resource, { apiVersion, kind, ...object } as UnstructuredObject);
const patch = (
  client: Client,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  body: object,
): Promise<unknown> => client.patch(resource, { namespace, name }, { type: 'merge', patch: body });
const token = (name: string, namespace: string, account: string, annotations: object = {}): object => ({
  metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': account, ...annotations } },
  type: 'kubernetes.io/service-account-token',
});
const crd = (plural: string, group: string, metadata: object = {}, spec: object = {}): object => ({
  metadata: { name: `${plural}.${group}`, ...metadata },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: 'Thing', listKind: 'ThingList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...spec,
  },
});
const webhook = {
  conversion: {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://example.com' } },
  },
};
const ownedByBinding = {
  ownerReferences: [
    {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      name: 'databases',
      uid: '5c1f4f4e-0000-4000-8000-000000000000',
    },
  ],
};
const controlled = {
  ownerReferences: [
    {
      apiVersion: 'example.com/v1',
      kind: 'Cluster',
      name: 'pg',
      uid: '5c1f4f4e-0000-4000-8000-000000000001',
      controller: true,
    },
  ],
};
const copy = { annotations: { [providerUid]: 'u' }, labels: { [owner]: 'provider' } };

/** One with the own credential of a role, as it was stolen from it, on a cluster where the chart was installed with everything that is claimed, and with more rights than that. */
const title = 'the rights of the konnector and the agent';
if (onGivenClusters())
  describe.skip(title, () => {
    it('needs a cluster of its own', () => undefined);
  });
else
  describeWithControlPlane(title, () => {
    let plane: Plane;
    let admin: Client;
    let konnector: Client;
    let agent: Client;

    beforeAll(async () => {
      // No garbage collection: owners that are made up stay.
      plane = await openPlane('consumer', { controllerManager: false });
      admin = plane.client;
      await installCRDs(admin, consumerCRDs, { clock: systemClock });
      await installAgentCRDs(admin, { clock: systemClock });
      await plane.apply(
        ...['kube-bind', 'agents', 'victim', 'team-a'].map((name) => ({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name },
        })),
      );
      const boundResources = [{ group: 'example.com', resources: ['databases'] }];
      await plane.apply(
        ...renderChart(join(root, 'charts/konnector'), templates, {
          name: 'konnector',
          namespace: 'kube-bind',
          values: {
            boundResources,
            claimedResources: ['secrets', 'configmaps', 'serviceaccounts'],
            unbinding: { delete: true },
            storedVersionMigration: true,
          },
        }),
        ...renderChart(join(root, 'charts/syncagent'), templates, {
          name: 'agent',
          namespace: 'agents',
          values: {
            publishedResources: boundResources,
            relatedFromKcp: [{ group: '', resources: ['secrets', 'configmaps', 'serviceaccounts'] }],
            namespaces: { remove: true },
          },
        }),
        // What an operator gave besides, without thinking of what it amounts to.
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: {
            name: 'too-much',
            labels: {
              'rbac.hawser.dev/aggregate-to-konnector': 'true',
              'rbac.hawser.dev/aggregate-to-syncagent': 'true',
            },
          },
          rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
        },
        ...['konnector', 'syncagent'].map((role) => ({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: `too-much-${role}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'too-much' },
          subjects: [
            role === 'konnector'
              ? { kind: 'ServiceAccount', name: 'konnector', namespace: 'kube-bind' }
              : { kind: 'ServiceAccount', name: 'agent-syncagent', namespace: 'agents' },
          ],
        })),
      );
      await make(admin, serviceAccounts, 'ServiceAccount', { metadata: { name: 'admin', namespace: 'victim' } });
      await make(admin, serviceAccounts, 'ServiceAccount', { metadata: { name: 'default', namespace: 'victim' } });
      await make(admin, secrets, 'Secret', token('admin-token', 'victim', 'admin'));
      for (const [resource, kind, field] of [
        [secrets, 'Secret', 'stringData'],
        [configMaps, 'ConfigMap', 'data'],
      ] as const) {
        await make(admin, resource, kind, {
          metadata: {
            name: 'original',
            namespace: 'victim',
            labels: { app: 'shop' },
            finalizers: ['example.com/keep'],
          },
          [field]: { a: 'b' },
        });
        await make(admin, resource, kind, {
          metadata: { name: 'copy', namespace: 'team-a', ...copy },
          [field]: { a: 'b' },
        });
        await make(admin, resource, kind, {
          metadata: { name: 'child', namespace: 'victim', ...copy, ...controlled },
          [field]: { a: 'b' },
        });
        await make(admin, resource, kind, {
          metadata: { name: 'of-kubernetes', namespace: 'kube-system', ...copy },
          [field]: { a: 'b' },
        });
      }
      await make(admin, secrets, 'Secret', {
        metadata: { name: 'kcp', namespace: 'agents' },
        stringData: { kubeconfig: 'x' },
      });
      await make(
        admin,
        crds,
        'CustomResourceDefinition',
        crd('widgets', 'operators.example.org', { annotations: { a: 'b' } }),
        'apiextensions.k8s.io/v1',
      );
      await make(
        admin,
        crds,
        'CustomResourceDefinition',
        crd('databases', 'example.com', ownedByBinding),
        'apiextensions.k8s.io/v1',
      );
      await make(
        admin,
        resources.apiServiceBindings,
        'APIServiceBinding',
        {
          metadata: { name: 'by-a-person' },
          spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'k', key: 'kubeconfig' } },
        },
        'kube-bind.io/v1alpha2',
      );
      konnector = createClient({
        name: 'konnector',
        connection: await serviceAccountConnection(plane, 'kube-bind', 'konnector'),
      });
      agent = createClient({
        name: 'agent',
        connection: await serviceAccountConnection(plane, 'agents', 'agent-syncagent'),
      });
      // The API server hears of policies, of roles and of CRDs by watches.
      for (const thief of [konnector, agent]) {
        await eventually(
          () =>
            expect(
              thief.create(
                secrets,
                { apiVersion: 'v1', kind: 'Secret', ...token('probe', 'victim', 'admin') } as UnstructuredObject,
                { dryRun: true },
              ),
            ).rejects.toThrow('writes and deletes no Secret'),
          LONG,
        );
      }
    }, 240_000);
    afterAll(async () => {
      await Promise.all([konnector.close(), agent.close()]);
      await plane.stop();
    }, 60_000);

    const refused = async (whose: string, attempt: Promise<unknown>): Promise<void> => {
      const error: unknown = await attempt.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(String(error)).toMatch(new RegExp(`denied request: .*${whose}`, 'u'));
    };

    it.each<[string, (thief: Client) => Promise<unknown>]>([
      [
        'a token of another ServiceAccount',
        (thief) => make(thief, secrets, 'Secret', token('mine', 'victim', 'admin', copy.annotations)),
      ],
      [
        'a token in its own namespace',
        (thief) => make(thief, secrets, 'Secret', token('obj-state-mine', 'agents', 'default')),
      ],
      [
        'a token in the namespace of the konnector',
        (thief) => make(thief, secrets, 'Secret', token('mine', 'kube-bind', 'default')),
      ],
      [
        'a token by way of a Secret that is there',
        (thief) =>
          patch(thief, secrets, 'victim', 'admin-token', {
            metadata: { annotations: { 'kubernetes.io/service-account.name': 'default' } },
          }),
      ],
      [
        'the end of a token of another one',
        (thief) => thief.delete(secrets, { namespace: 'victim', name: 'admin-token' }),
      ],
      [
        'a bootstrap token',
        (thief) =>
          make(thief, secrets, 'Secret', {
            metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system', ...copy },
            type: 'bootstrap.kubernetes.io/token',
          }),
      ],
      [
        'a token by a request for one',
        (thief) =>
          thief.create(
            serviceAccounts,
            {
              apiVersion: 'authentication.k8s.io/v1',
              kind: 'TokenRequest',
              metadata: { name: 'admin', namespace: 'victim' },
              spec: { expirationSeconds: 3_600 },
            } as UnstructuredObject,
            { subresource: 'token' },
          ),
      ],
      [
        'the ServiceAccount of all pods of a namespace',
        (thief) => patch(thief, serviceAccounts, 'victim', 'default', { imagePullSecrets: [{ name: 'mine' }] }),
      ],
      [
        'a Secret among those of Kubernetes',
        (thief) => make(thief, secrets, 'Secret', { metadata: { name: 'mine', namespace: 'kube-system', ...copy } }),
      ],
      [
        'contents of a ConfigMap of Kubernetes',
        (thief) => patch(thief, configMaps, 'kube-system', 'of-kubernetes', { data: { a: 'c' } }),
      ],
      [
        'contents of what a controller owns',
        (thief) => patch(thief, secrets, 'victim', 'child', { stringData: { a: 'c' } }),
      ],
      [
        'the end of what a controller owns',
        (thief) => thief.delete(configMaps, { namespace: 'victim', name: 'child' }),
      ],
      [
        'the end of a finalizer of another one',
        (thief) => patch(thief, secrets, 'victim', 'original', { metadata: { finalizers: null } }),
      ],
      [
        'an owner, whose end takes an object along',
        (thief) => patch(thief, configMaps, 'victim', 'original', { metadata: ownedByBinding }),
      ],
      ['a namespace of its own', (thief) => make(thief, namespaces, 'Namespace', { metadata: { name: 'mine' } })],
      [
        'a namespace of Kubernetes',
        (thief) =>
          make(thief, namespaces, 'Namespace', {
            metadata: { name: 'kube-system', labels: copy.labels, annotations: { 'hawser.dev/created-by': 'agent' } },
          }),
      ],
      [
        'another standard for the pods of a namespace',
        (thief) =>
          patch(thief, namespaces, undefined, 'victim', {
            metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
          }),
      ],
      ['the end of a namespace', (thief) => thief.delete(namespaces, { name: 'victim' })],
      [
        'cluster-admin',
        (thief) =>
          make(
            thief,
            resources.clusterRoleBindings,
            'ClusterRoleBinding',
            {
              metadata: { name: 'mine' },
              roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
              subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'victim' }],
            },
            'rbac.authorization.k8s.io/v1',
          ),
      ],
      ['a role with more in it', (thief) => patch(thief, resources.clusterRoles, undefined, 'view', { rules: [] })],
      [
        'requests of all others, by a webhook',
        (thief) =>
          make(
            thief,
            { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingwebhookconfigurations' },
            'MutatingWebhookConfiguration',
            { metadata: { name: 'mine' } },
            'admissionregistration.k8s.io/v1',
          ),
      ],
      [
        'an API of an operator',
        (thief) => patch(thief, crds, undefined, 'widgets.operators.example.org', { spec: webhook }),
      ],
      ['the end of an API of an operator', (thief) => thief.delete(crds, { name: 'widgets.operators.example.org' })],
      [
        'a CRD that nothing owns',
        (thief) =>
          make(thief, crds, 'CustomResourceDefinition', crd('things', 'other.example'), 'apiextensions.k8s.io/v1'),
      ],
    ])('of the konnector and the agent do not yield %s', async (_, attempt) => {
      await refused('the konnector', attempt(konnector));
      await refused('the agent', attempt(agent));
    });

    it.each<[string, (thief: Client) => Promise<unknown>]>([
      [
        'a Secret that does not say that it is a copy',
        (thief) => make(thief, secrets, 'Secret', { metadata: { name: 'cluster-credentials', namespace: 'victim' } }),
      ],
      [
        'a ServiceAccount where the rights of another one wait for it',
        (thief) =>
          make(thief, serviceAccounts, 'ServiceAccount', { metadata: { name: 'expected', namespace: 'victim' } }),
      ],
      [
        'a ServiceAccount beside its own',
        (thief) =>
          make(thief, serviceAccounts, 'ServiceAccount', {
            metadata: { name: 'mine', namespace: 'kube-bind', ...copy },
          }),
      ],
      [
        'contents of a Secret that is not a copy',
        (thief) => patch(thief, secrets, 'victim', 'original', { stringData: { a: 'c' } }),
      ],
      [
        'contents of a ConfigMap that is not a copy',
        (thief) => patch(thief, configMaps, 'victim', 'original', { data: { a: 'c' } }),
      ],
      [
        'labels of what is not a copy',
        (thief) => patch(thief, configMaps, 'victim', 'original', { metadata: { labels: { app: null } } }),
      ],
      [
        'annotations of what is not a copy',
        (thief) =>
          patch(thief, secrets, 'victim', 'original', { metadata: { annotations: { 'example.com/trust': 'yes' } } }),
      ],
      [
        'the end of a Secret that is not a copy',
        (thief) => thief.delete(secrets, { namespace: 'victim', name: 'original' }),
      ],
      [
        'a CRD in a group of Kubernetes',
        (thief) =>
          make(
            thief,
            crds,
            'CustomResourceDefinition',
            crd('things', 'things.k8s.io', {
              ...ownedByBinding,
              annotations: { 'api-approved.kubernetes.io': 'unapproved, x' },
            }),
            'apiextensions.k8s.io/v1',
          ),
      ],
      [
        'a CRD with a conversion webhook',
        (thief) =>
          make(
            thief,
            crds,
            'CustomResourceDefinition',
            crd('things', 'other.example', ownedByBinding, { ...webhook, preserveUnknownFields: false }),
            'apiextensions.k8s.io/v1',
          ),
      ],
      [
        'a conversion webhook in a CRD of its own',
        (thief) => patch(thief, crds, undefined, 'databases.example.com', { spec: webhook }),
      ],
      [
        'a CRD of an operator, by becoming its owner',
        (thief) => patch(thief, crds, undefined, 'widgets.operators.example.org', { metadata: ownedByBinding }),
      ],
      [
        'stored versions of a CRD of an operator',
        (thief) =>
          thief.patch(
            crds,
            { name: 'widgets.operators.example.org' },
            { type: 'merge', patch: { status: { storedVersions: ['v1', 'v2'] } } },
            { subresource: 'status' },
          ),
      ],
      [
        'a CRD that is let go of by its finalizer',
        (thief) =>
          patch(thief, crds, undefined, 'databases.example.com', { metadata: { finalizers: ['example.com/x'] } }),
      ],
      [
        'a binding of its own',
        (thief) =>
          make(
            thief,
            resources.apiServiceBindings,
            'APIServiceBinding',
            {
              metadata: { name: 'mine' },
              spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'k', key: 'kubeconfig' } },
            },
            'kube-bind.io/v1alpha2',
          ),
      ],
      [
        'the end of a binding that a person made',
        (thief) => thief.delete(resources.apiServiceBindings, { name: 'by-a-person' }),
      ],
      [
        'a pod',
        (thief) =>
          make(thief, core('pods'), 'Pod', {
            metadata: { name: 'mine', namespace: 'victim' },
            spec: { serviceAccountName: 'admin', containers: [{ name: 'c', image: 'i' }] },
          }),
      ],
      [
        'a Deployment',
        (thief) =>
          make(
            thief,
            { group: 'apps', version: 'v1', resource: 'deployments' },
            'Deployment',
            {
              metadata: { name: 'mine', namespace: 'victim' },
              spec: {
                selector: { matchLabels: { a: 'b' } },
                template: {
                  metadata: { labels: { a: 'b' } },
                  spec: { serviceAccountName: 'admin', containers: [{ name: 'c', image: 'i' }] },
                },
              },
            },
            'apps/v1',
          ),
      ],
    ])('of the konnector do not yield %s', (_, attempt) => refused('the konnector', attempt(konnector)));

    it.each<[string, (thief: Client) => Promise<unknown>]>([
      [
        'its own kubeconfig for kcp',
        (thief) => patch(thief, secrets, 'agents', 'kcp', { stringData: { kubeconfig: 'y' } }),
      ],
      ['the end of its own kubeconfig', (thief) => thief.delete(secrets, { namespace: 'agents', name: 'kcp' })],
      [
        'a Secret that its Deployment may mount',
        (thief) => make(thief, secrets, 'Secret', { metadata: { name: 'mine', namespace: 'agents' } }),
      ],
      [
        'other objects to publish',
        (thief) =>
          make(
            thief,
            { group: 'syncagent.kcp.io', version: 'v1alpha1', resource: 'publishedresources' },
            'PublishedResource',
            { metadata: { name: 'mine' }, spec: { resource: { kind: 'Secret', apiGroup: '', version: 'v1' } } },
            'syncagent.kcp.io/v1alpha1',
          ),
      ],
    ])('of the agent do not yield %s', (_, attempt) => refused('the agent', attempt(agent)));

    it('of the konnector are enough for what it writes', async () => {
      // An original of the user is marked; a copy is made, changed and taken away, and what bears no mark is adopted with them.
      await patch(konnector, secrets, 'victim', 'original', { metadata: { labels: { [owner]: 'consumer' } } });
      for (const [resource, kind] of [
        [secrets, 'Secret'],
        [configMaps, 'ConfigMap'],
        [serviceAccounts, 'ServiceAccount'],
      ] as const) {
        await make(konnector, resource, kind, { metadata: { name: 'made', namespace: 'team-a', ...copy } });
        await patch(konnector, resource, 'team-a', 'made', { metadata: { labels: { more: 'x' } } });
        await konnector.delete(resource, { namespace: 'team-a', name: 'made' });
      }
      await patch(konnector, configMaps, 'team-a', 'copy', { data: { a: 'c' } });
      await make(admin, configMaps, 'ConfigMap', {
        metadata: { name: 'adopted', namespace: 'team-a' },
        data: { a: 'b' },
      });
      await patch(konnector, configMaps, 'team-a', 'adopted', { metadata: copy, data: { a: 'c' } });
      // Kubeconfigs, and records.
      await make(konnector, secrets, 'Secret', {
        metadata: { name: 'kubeconfig', namespace: 'kube-bind' },
        stringData: { kubeconfig: 'x' },
      });
      await patch(konnector, secrets, 'kube-bind', 'kubeconfig', { data: { kubeconfig: 'eQ==' } });
      await make(konnector, configMaps, 'ConfigMap', {
        metadata: { name: 'hawser-orphans-databases-1', namespace: 'kube-bind' },
      });
      // CRDs and namespaces of providers, and bindings of bundles.
      await make(
        konnector,
        crds,
        'CustomResourceDefinition',
        crd('zones', 'example.com', ownedByBinding),
        'apiextensions.k8s.io/v1',
      );
      await patch(konnector, crds, undefined, 'zones.example.com', { spec: { names: { shortNames: ['zn'] } } });
      await konnector.delete(crds, { name: 'zones.example.com' });
      await patch(konnector, crds, undefined, 'apiservicebindings.kube-bind.io', {
        spec: { names: { shortNames: ['sb', 'sbs'] } },
      });
      await make(konnector, namespaces, 'Namespace', {
        metadata: { name: 'for-a-provider', labels: { [owner]: 'provider' } },
      });
      const ofBundle = {
        ownerReferences: [
          {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceBindingBundle',
            name: 'all',
            uid: '5c1f4f4e-0000-4000-8000-000000000002',
          },
        ],
      };
      await make(
        konnector,
        resources.apiServiceBindings,
        'APIServiceBinding',
        {
          metadata: { name: 'of-a-bundle', ...ofBundle },
          spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'k', key: 'kubeconfig' } },
        },
        'kube-bind.io/v1alpha2',
      );
      await patch(konnector, resources.apiServiceBindings, undefined, 'of-a-bundle', {
        metadata: { annotations: { 'hawser.dev/claim-consent': 'x' }, finalizers: ['hawser.dev/unbinding'] },
      });
      await patch(konnector, resources.apiServiceBindings, undefined, 'of-a-bundle', {
        metadata: { finalizers: null },
      });
      await konnector.delete(resources.apiServiceBindings, { name: 'of-a-bundle' });
    });

    it('of the agent are enough for what it writes', async () => {
      await make(agent, namespaces, 'Namespace', {
        metadata: { name: 'ws-1', annotations: { 'hawser.dev/created-by': 'agent' } },
      });
      await make(agent, secrets, 'Secret', {
        metadata: { name: 'obj-state-1-2', namespace: 'agents', labels: { 'syncagent.kcp.io/object-state': 'true' } },
      });
      await patch(agent, secrets, 'agents', 'obj-state-1-2', { stringData: { a: 'b' } });
      await agent.delete(secrets, { namespace: 'agents', name: 'obj-state-1-2' });
      await make(agent, secrets, 'Secret', { metadata: { name: 'hawser-publications.agent', namespace: 'agents' } });
      for (const [resource, kind] of [
        [secrets, 'Secret'],
        [configMaps, 'ConfigMap'],
        [serviceAccounts, 'ServiceAccount'],
      ] as const) {
        await make(agent, resource, kind, { metadata: { name: 'related', namespace: 'ws-1' } });
        await patch(agent, resource, 'ws-1', 'related', { metadata: { labels: { more: 'x' } } });
        await agent.delete(resource, { namespace: 'ws-1', name: 'related' });
      }
      await agent.delete(namespaces, { name: 'ws-1' });
    });
  });
