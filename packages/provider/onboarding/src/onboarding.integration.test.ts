import { type KubeObject, createClient, isApiError } from '@hawser/client';
import {
  type BindableResourcesRequest,
  type BindableResourcesRequestSpec,
  clusterNamespaceName,
  kubeBindDialect,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createCredentialsController } from '../../credentials/src/credentials-controller.js';
import { rights as credentialRights } from '../../credentials/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createConsumerAccessController } from './access-controller.js';
import { type OnboardingOptions, createOnboardingController } from './onboarding-controller.js';
import { rights } from './testing/rights.js';

describeWithControlPlane(
  'onboarding',
  () => {
    let cluster: ProviderCluster;
    let running: Running;
    let home: string;

    beforeAll(async () => {
      cluster = await openProviderCluster([...rights, ...credentialRights], { controllerManager: true });
      const rules = [
        { apiGroups: ['kube-bind.io'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'watch'] },
      ];
      await cluster.client.create(resources.clusterRoles, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'kube-binder' },
        rules,
      } as KubeObject);
    });
    afterAll(() => cluster.close());
    afterEach(() => running.stop());

    const start = async (options: Partial<OnboardingOptions> = {}): Promise<void> => {
      const { server, caData } = cluster.plane.connection;
      running = await cluster.run(
        createOnboardingController({ namespacePrefix: 'kube-bind-', prettyName: 'Lab', ...options }),
        createConsumerAccessController({ dialect: kubeBindDialect }),
        createCredentialsController({ dialect: kubeBindDialect, endpoint: () => ({ server, caData }) }),
      );
    };
    const makeNamespace = async (name: string, annotations: Record<string, string> = {}): Promise<string> => {
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, annotations },
      });
      return name;
    };
    const ask = async (
      identity: string,
      spec: Partial<BindableResourcesRequestSpec> = {},
      name = 'acme',
      namespace = home,
    ): Promise<void> => {
      await cluster.client.create(resources.bindableResourcesRequests, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { name, namespace },
        spec: { author: 'jane', clusterIdentity: { identity }, ...spec },
      } as KubeObject);
    };
    const request = (name = 'acme', namespace = home): Promise<BindableResourcesRequest | undefined> =>
      cluster.read<BindableResourcesRequest>(resources.bindableResourcesRequests, { namespace, name });
    const outcomeIs = (reason: string, name = 'acme', namespace = home): Promise<unknown> =>
      eventually(
        async () => {
          expect((await request(name, namespace))?.status?.conditions?.[0]?.reason).toBe(reason);
        },
        { timeoutMs: 30_000 },
      );
    const answer = async (name: string, key: string, namespace = home): Promise<Record<string, unknown>> => {
      const data = (await cluster.read<Secret>(resources.secrets, { namespace, name }))?.data?.[key] ?? '';
      return JSON.parse(Buffer.from(data, 'base64').toString()) as Record<string, unknown>;
    };

    it("answers with a kubeconfig that works, in the consumer's namespace and nowhere else", async () => {
      home = await makeNamespace(uniqueNamespace('onboarding'));
      const identity = uniqueNamespace('cluster');
      await start();
      await ask(identity, { clusterIdentity: { identity, prettyName: 'Acme' } });
      await outcomeIs('SecretReady');
      const consumer = clusterNamespaceName('kube-bind-', identity);
      expect((await request())?.status).toMatchObject({
        phase: 'Succeeded',
        namespace: consumer,
        kubeconfigSecretRef: { name: 'acme-binding-response', key: 'binding-response' },
        completionTime: expect.any(String),
      });
      const response = await answer('acme-binding-response', 'binding-response');
      expect(Object.keys(response)).toEqual(['kind', 'apiVersion', 'authentication', 'kubeconfig', 'requests']);
      expect(response).toMatchObject({
        kind: 'BindingResourceResponse',
        apiVersion: 'kube-bind.io/v1alpha2',
        requests: null,
      });
      const read = parseSecretKubeconfig(Buffer.from(response['kubeconfig'] as string, 'base64'));
      if (!read.ok) throw new Error('the answer has no kubeconfig');
      const client = createClient({ name: 'consumer', connection: read.connection });
      expect((await client.list(resources.apiServiceExports, { namespace: consumer })).items).toEqual([]);
      for (const refused of [
        () => client.list(resources.apiServiceExports),
        () => client.list(resources.secrets, { namespace: home }),
        () => client.list(resources.namespaces),
      ]) {
        await expect(refused()).rejects.toMatchObject({ code: 'Forbidden' });
      }
      await client.close();
      expect(
        (await cluster.settledWrites())
          .filter((write) => [home, consumer].includes(write.namespace ?? write.name ?? ''))
          .map(({ verb, resource, name, subresource }) => [verb, resource, subresource ?? '', name]),
      ).toEqual(
        expect.arrayContaining([
          ['create', 'namespaces', '', consumer],
          ['create', 'clusterbindings', '', 'cluster'],
          ['create', 'rolebindings', '', 'kube-binder'],
          ['create', 'secrets', '', 'acme-binding-response'],
          ['patch', 'bindableresourcesrequests', 'status', 'acme'],
        ]),
      );

      const before = (await cluster.settledWrites()).length;
      await running.stop();
      await start();
      expect((await cluster.settledWrites()).length).toBe(before);

      // What the garbage collector does is its own: the answer goes with its request.
      expect(
        (await cluster.read(resources.secrets, { namespace: home, name: 'acme-binding-response' }))?.metadata
          .ownerReferences,
      ).toMatchObject([{ kind: 'BindableResourcesRequest', name: 'acme', controller: true }]);
    });

    it("gives a consumer that asks again the same namespace, and nobody else that consumer's kubeconfig", async () => {
      home = await makeNamespace(uniqueNamespace('onboarding'));
      const identity = uniqueNamespace('cluster');
      await start();
      await ask(identity, {}, 'first');
      await outcomeIs('SecretReady', 'first');
      await ask(identity, { kubeconfigSecretRef: { name: 'again', key: 'response' } }, 'second');
      await outcomeIs('SecretReady', 'second');
      expect((await answer('again', 'response'))['kubeconfig']).toBe(
        (await answer('first-binding-response', 'binding-response'))['kubeconfig'],
      );

      const other = await makeNamespace(uniqueNamespace('mallory'));
      await ask(identity, {}, 'forged', other);
      await outcomeIs('IdentityTaken', 'forged', other);
      const consumer = clusterNamespaceName('kube-bind-', identity);
      await ask('another', {}, 'inside', consumer);
      await outcomeIs('RequestNamespaceNotAllowed', 'inside', consumer);
      expect(
        await cluster.read(resources.secrets, { namespace: other, name: 'forged-binding-response' }),
      ).toBeUndefined();

      await cluster.client.patch(
        resources.namespaces,
        { name: consumer },
        {
          type: 'merge',
          patch: { metadata: { annotations: { 'hawser.dev/onboarding-namespaces': `${home},${other}` } } },
        },
      );
      await outcomeIs('SecretReady', 'forged', other);
    });

    it('takes over no namespace and no Secret that is not its own, and goes on when they are gone', async () => {
      home = await makeNamespace(uniqueNamespace('onboarding'));
      const identity = uniqueNamespace('cluster');
      const consumer = await makeNamespace(clusterNamespaceName('kube-bind-', identity));
      await cluster.client.create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'mine', namespace: home },
        data: { password: 'eA==' },
      } as KubeObject);
      await start();
      await ask(identity, { kubeconfigSecretRef: { name: 'mine', key: 'password' } });
      await outcomeIs('NamespaceConflict');
      await cluster.client.delete(resources.namespaces, { name: consumer });
      await outcomeIs('SecretConflict');
      expect((await cluster.read<Secret>(resources.secrets, { namespace: home, name: 'mine' }))?.data).toEqual({
        password: 'eA==',
      });
      await cluster.client.patch(
        resources.bindableResourcesRequests,
        { namespace: home, name: 'acme' },
        { type: 'merge', patch: { spec: { kubeconfigSecretRef: { name: 'free' } } } },
      );
      await outcomeIs('SecretReady');
    });

    it('waits for its template, and goes when its time is up', async () => {
      home = await makeNamespace(uniqueNamespace('onboarding'));
      const template = uniqueNamespace('template');
      await start();
      await ask(uniqueNamespace('cluster'), { templateRef: { name: template }, ttlAfterFinished: '1s' });
      await outcomeIs('TemplateNotFound');
      expect((await request())?.status?.phase).toBe('Pending');
      const spec = {
        scope: 'Namespaced',
        resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
      };
      await cluster.client.create(resources.apiServiceExportTemplates, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExportTemplate',
        metadata: { name: template },
        spec,
      } as KubeObject);
      await eventually(
        async () => {
          expect(await request()).toBeUndefined();
        },
        { timeoutMs: 30_000 },
      );
    });

    it('answers in opened namespaces alone, where they are named', async () => {
      home = await makeNamespace(uniqueNamespace('closed'));
      const open = await makeNamespace(uniqueNamespace('open'));
      const identity = uniqueNamespace('cluster');
      await start({ requestNamespaces: [open] });
      await ask(identity);
      await outcomeIs('RequestNamespaceNotAllowed');
      await ask(identity, {}, 'acme', open);
      await outcomeIs('SecretReady', 'acme', open);
    });

    it('tells what the API server refuses, and why there is no answer', async () => {
      home = await makeNamespace(uniqueNamespace('onboarding'));
      const identity = uniqueNamespace('cluster');
      const consumer = await makeNamespace(clusterNamespaceName('kube-bind-', identity), {
        'backend.kube-bind.io/identity': identity,
        'hawser.dev/onboarding-namespaces': home,
      });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
      await cluster.client.create(resources.roleBindings, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'kube-binder', namespace: consumer },
        subjects: [],
        roleRef,
      } as KubeObject);
      await start();
      await ask(identity);
      await eventually(() => {
        expect(
          running.events.filter(({ regarding }) => regarding.namespace === consumer).map(({ event }) => event.reason),
        ).toContain('RightsConflict');
      });
      await cluster.client.delete(resources.roleBindings, { namespace: consumer, name: 'kube-binder' });
      await outcomeIs('SecretReady');
      await cluster.client
        .patch(
          resources.roleBindings,
          { namespace: consumer, name: 'kube-binder' },
          {
            type: 'merge',
            patch: {
              subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
            },
          },
        )
        .catch((error: unknown) => {
          if (!isApiError(error)) throw error;
        });
      await eventually(async () => {
        expect(await cluster.read(resources.roleBindings, { namespace: consumer, name: 'kube-binder' })).toMatchObject({
          subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: consumer }],
        });
      });
    });
  },
  { controllerManager: true },
);
