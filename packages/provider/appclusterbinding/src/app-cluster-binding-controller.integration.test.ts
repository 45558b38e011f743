import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { type APIServiceBinding, type APIServiceExport, resources } from '@hawser/klutch';
import { getCondition, resources as core, type Secret } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createInlineExportControllers } from '../../exportrequest/src/inline/inline-controllers.js';
import type { Running } from '../../servicenamespace/src/testing/provider-cluster.js';
import { createAppClusterBindingController } from './app-cluster-binding-controller.js';
import { children } from './decision.js';
import type { Deployment, RightsBinding } from './observed.js';
import {
  claims,
  type ControlPlaneCluster,
  type Home,
  openControlPlaneCluster,
  patience,
} from './testing/control-plane.js';

const deployments = children.deployment.resource;
const labelsOf = ({ namespace, name }: Home): object => ({
  'klutch.anynines.com/appclusterbinding-name': name,
  'klutch.anynines.com/appclusterbinding-namespace': namespace,
});

describeWithControlPlane(
  'createAppClusterBindingController',
  () => {
    let cluster: ControlPlaneCluster;
    let running: Running;
    let home: Home;

    const start = async (): Promise<void> => {
      running = await cluster.run(
        createAppClusterBindingController({ konnectorImage: 'konnector:1', prettyName: 'Lab', deletionPollMs: 200 }),
        ...createInlineExportControllers({ informerScope: 'Cluster' }),
      );
    };
    const entry = (resource: string): object => ({ group: home.group, resource });
    const changeSpec = (spec: object): Promise<KubeObject> =>
      cluster.client.patch(
        resources.appClusterBindings,
        { namespace: home.namespace, name: home.name },
        { type: 'merge', patch: { spec } },
      );
    const inRoot = <T extends KubeObject>(
      resource: Parameters<ControlPlaneCluster['read']>[0],
      name: string,
    ): Promise<T | undefined> => cluster.read<T>(resource, { namespace: home.root, name });
    const deployment = (): Promise<Deployment | undefined> => inRoot<Deployment>(deployments, 'konnector');
    const becomeAvailable = async (): Promise<void> => {
      const generation = (await deployment())?.metadata.generation;
      await cluster.client.patch(
        deployments,
        { namespace: home.root, name: 'konnector' },
        {
          type: 'merge',
          patch: { status: { observedGeneration: generation, replicas: 1, readyReplicas: 1, availableReplicas: 1 } },
        },
        { subresource: 'status' },
      );
    };

    beforeAll(async () => {
      cluster = await openControlPlaneCluster();
    });
    afterAll(() => cluster.close());
    beforeEach(async () => {
      home = await cluster.home();
      await start();
    });
    afterEach(() => running.stop());

    it('makes all that a konnector needs, and nothing more when it starts again', async () => {
      await cluster.offer(home, 'databases');
      await cluster.bind(home, { apiExports: [entry('databases')], konnector: { deploy: true } });
      await cluster.conditionIs(home, 'KonnectorDeployed', 'False KonnectorNotAvailable');
      await cluster.conditionIs(home, 'APIsBound', 'True');
      await becomeAvailable();
      await cluster.conditionIs(home, 'Ready', 'True');
      expect((await cluster.find(home))?.metadata.finalizers).toEqual([
        'klutch.anynines.com/appclusterbinding-cleanup',
      ]);
      expect(await cluster.read(core.namespaces, { name: home.root })).toMatchObject({
        metadata: { labels: labelsOf(home) },
      });
      expect(await inRoot(core.serviceAccounts, 'klutch-binder')).toBeDefined();
      const source = await cluster.read<Secret>(core.secrets, { namespace: home.namespace, name: 'app' });
      expect((await inRoot<Secret>(core.secrets, 'kubeconfig'))?.data).toEqual({ kubeconfig: source?.data?.['value'] });
      expect(await inRoot(resources.clusterBindings, 'cluster')).toMatchObject({
        metadata: { labels: labelsOf(home) },
        spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
      });
      const account = { kind: 'ServiceAccount', name: 'klutch-binder', namespace: home.root };
      expect(await inRoot<RightsBinding>(core.roleBindings, 'control-plane-connector')).toMatchObject({
        roleRef: { kind: 'ClusterRole', name: 'control-plane-connector' },
        subjects: [account],
      });
      expect(
        await cluster.read(core.clusterRoleBindings, { name: `klutch-konnector-${home.namespace}-shop` }),
      ).toMatchObject({
        metadata: { labels: labelsOf(home) },
        roleRef: { name: 'klutch-konnector' },
        subjects: [account],
      });
      expect(await inRoot<APIServiceBinding>(resources.apiServiceBindings, `databases.${home.group}`)).toMatchObject({
        metadata: { labels: labelsOf(home) },
        spec: {
          kubeconfigSecretRef: { namespace: home.root, name: 'kubeconfig', key: 'kubeconfig' },
          permissionClaims: [{ ...claims[0], state: 'Accepted' }],
        },
      });
      expect(
        (await inRoot<APIServiceExport>(resources.apiServiceExports, `databases.${home.group}`))?.metadata.labels,
      ).toMatchObject(labelsOf(home));
      expect((await deployment())?.spec.template.spec).toMatchObject({
        serviceAccountName: 'klutch-binder',
        containers: [
          {
            image: 'konnector:1',
            args: expect.arrayContaining([
              '--control-plane-mode',
              `--binding-root-namespace=${home.root}`,
              `--app-cluster-kubeconfig-secret-namespace=${home.root}`,
            ]),
          },
        ],
      });

      await running.stop();
      const before = (await cluster.settledWrites()).length;
      await start();
      await cluster.conditionIs(home, 'Ready', 'True');
      expect((await cluster.settledWrites()).slice(before)).toEqual([]);
    });

    it('repairs what is taken away or changed', async () => {
      await cluster.bind(home, { konnector: { deploy: true, overrides: { resources: { limits: { cpu: '1000m' } } } } });
      await cluster.conditionIs(home, 'RootNamespaceReady', 'True');
      await eventually(async () => {
        expect(await deployment()).toBeDefined();
      }, patience);
      await cluster.client.delete(core.roleBindings, { namespace: home.root, name: 'control-plane-connector' });
      await cluster.client.delete(resources.clusterBindings, { namespace: home.root, name: 'cluster' });
      await cluster.client.patch(
        core.clusterRoleBindings,
        { name: `klutch-konnector-${home.namespace}-shop` },
        { type: 'merge', patch: { subjects: [] } },
      );
      await cluster.client.patch(
        deployments,
        { namespace: home.root, name: 'konnector' },
        {
          type: 'json',
          operations: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'evil:1' }],
        },
      );
      await eventually(async () => {
        expect(await inRoot(core.roleBindings, 'control-plane-connector')).toBeDefined();
        expect(await inRoot(resources.clusterBindings, 'cluster')).toBeDefined();
        expect(
          (
            await cluster.read<RightsBinding>(core.clusterRoleBindings, {
              name: `klutch-konnector-${home.namespace}-shop`,
            })
          )?.subjects,
        ).toHaveLength(1);
        expect((await deployment())?.spec.template.spec.containers[0]?.image).toBe('konnector:1');
      }, patience);
      const before = (await cluster.settledWrites()).length;
      // Neither defaults of the server nor what others add is a difference.
      await cluster.client.patch(
        deployments,
        { namespace: home.root, name: 'konnector' },
        { type: 'merge', patch: { metadata: { annotations: { other: 'x' } }, spec: { replicas: 3 } } },
      );
      await changeSpec({ konnector: { overrides: { resources: { limits: { cpu: '1' } } } } });
      await eventually(async () => {
        expect((await deployment())?.spec.template.spec.containers[0]).toMatchObject({
          resources: { limits: { cpu: '1' } },
        });
      }, patience);
      const writes = (await cluster.settledWrites()).slice(before);
      // Another way to write the same quantity is another wish, and is applied once.
      expect(writes.filter(({ resource }) => resource === 'deployments').length).toBeLessThanOrEqual(1);
      expect(await deployment()).toMatchObject({ spec: { replicas: 3 } });
    });

    it('has the overrides of the konnector, takes back those that go, and tells of those that cannot be', async () => {
      await cluster.bind(home, {
        konnector: { deploy: true, overrides: { image: 'konnector:2', env: [{ name: 'A', value: 'b' }] } },
      });
      const container = async (): Promise<object | undefined> => (await deployment())?.spec.template.spec.containers[0];
      await eventually(async () => {
        expect(await container()).toMatchObject({
          image: 'konnector:2',
          env: [{ name: 'POD_NAME' }, { name: 'POD_NAMESPACE' }, { name: 'A', value: 'b' }],
        });
      }, patience);
      await changeSpec({ konnector: { overrides: { image: null, env: null } } });
      await eventually(async () => {
        expect(await container()).toMatchObject({ image: 'konnector:1' });
        expect(((await container()) as { readonly env: readonly unknown[] }).env).toHaveLength(2);
      }, patience);
      await changeSpec({ konnector: { overrides: { hostNetwork: true } } });
      expect(await cluster.conditionIs(home, 'KonnectorDeployed', 'False OverridesInvalid')).toContain('hostNetwork');
      await changeSpec({
        konnector: { overrides: { hostNetwork: null, volumeMounts: [{ name: 'absent', mountPath: '/x' }] } },
      });
      expect(await cluster.conditionIs(home, 'KonnectorDeployed', 'False KonnectorDeploymentFailed')).toContain(
        'absent',
      );
      await changeSpec({ konnector: { deploy: false, overrides: null } });
      await eventually(async () => {
        expect(await deployment()).toBeUndefined();
      }, patience);
      await eventually(async () => {
        expect(getCondition((await cluster.find(home))?.status?.conditions, 'KonnectorDeployed')).toBeUndefined();
      }, patience);
    });

    it('follows the kubeconfig Secret, and keeps what works while that is wrong', async () => {
      await cluster.bind(home, { konnector: { deploy: true } });
      await eventually(async () => {
        expect(await deployment()).toBeDefined();
      }, patience);
      const revision = async (): Promise<string | undefined> =>
        (await deployment())?.spec.template.metadata?.annotations?.['hawser.dev/kubeconfig-revision'];
      await eventually(async () => {
        expect(await revision()).toBeDefined();
      }, patience);
      const before = await revision();
      const rotate = (text: string): Promise<KubeObject> =>
        cluster.client.patch(
          core.secrets,
          { namespace: home.namespace, name: 'app' },
          { type: 'merge', patch: { stringData: { value: text } } },
        );
      const mirrored = async (): Promise<string> =>
        Buffer.from(
          (await inRoot<Secret>(core.secrets, 'kubeconfig'))?.data?.['kubeconfig'] ?? '',
          'base64',
        ).toString();
      const next = await cluster.plane.userKubeconfig('next');
      await rotate(next);
      await eventually(async () => {
        expect(await mirrored()).toBe(next);
        expect(await revision()).not.toBe(before);
      }, patience);
      await rotate(next.replace(/client-key-data:.*/u, 'exec: {command: sh}'));
      const message = await cluster.conditionIs(home, 'SecretValid', 'False KubeconfigSecretInvalid');
      expect(message).toContain('exec');
      // The Event comes after the condition.
      await eventually(() => {
        expect(running.events.map(({ event }) => event.reason)).toContain('KubeconfigSecretInvalid');
      }, patience);
      await cluster.client.delete(core.secrets, { namespace: home.namespace, name: 'app' });
      await cluster.conditionIs(home, 'SecretValid', 'False KubeconfigSecretNotFound');
      expect(await mirrored()).toBe(next);
      await cluster.makeKubeconfig(home.namespace, 'app', next);
      await cluster.conditionIs(home, 'SecretValid', 'True');
    });

    it('uses a Secret of another namespace only if that Secret says so', async () => {
      const vault = uniqueNamespace('vault');
      await cluster.makeNamespace(vault);
      await cluster.makeKubeconfig(vault, 'theirs', undefined, {
        'hawser.dev/app-cluster-binding-namespaces': 'others',
      });
      await cluster.bind(home, { kubeconfigSecretRef: { namespace: vault, name: 'theirs', key: 'value' } });
      const refused = await cluster.conditionIs(home, 'SecretValid', 'False SecretNamespaceNotAllowed');
      expect(await cluster.read(core.namespaces, { name: home.root })).toBeUndefined();
      // Nothing is told of what is there.
      await changeSpec({ kubeconfigSecretRef: { name: 'absent' } });
      await eventually(async () => {
        expect(await cluster.conditionIs(home, 'SecretValid', 'False SecretNamespaceNotAllowed')).toBe(
          refused.replace('/theirs', '/absent'),
        );
      }, patience);
      await changeSpec({ kubeconfigSecretRef: { name: 'theirs' } });
      await cluster.client.patch(
        core.secrets,
        { namespace: vault, name: 'theirs' },
        {
          type: 'merge',
          patch: {
            metadata: { annotations: { 'hawser.dev/app-cluster-binding-namespaces': `others, ${home.namespace}` } },
          },
        },
      );
      await cluster.conditionIs(home, 'SecretValid', 'True');
    });

    it('takes over no root namespace or ClusterRoleBinding of somebody else, and disturbs no other AppClusterBinding', async () => {
      const neighbour = await cluster.home();
      await cluster.makeNamespace(home.root);
      await cluster.bind(home);
      await cluster.bind(neighbour);
      expect(await cluster.conditionIs(home, 'RootNamespaceReady', 'False RootNamespaceConflict')).toContain(home.root);
      await cluster.conditionIs(neighbour, 'Ready', 'True');
      expect(await inRoot(core.secrets, 'kubeconfig')).toBeUndefined();
      const clusterWide = `klutch-konnector-${home.namespace}-shop`;
      await cluster.client.create(core.clusterRoleBindings, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: clusterWide },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [],
      } as KubeObject);
      await cluster.client.delete(core.namespaces, { name: home.root });
      await cluster.conditionIs(home, 'RootNamespaceReady', 'False RightsConflict');
      expect(await cluster.read(core.clusterRoleBindings, { name: clusterWide })).not.toHaveProperty('subjects');
      await cluster.client.delete(core.clusterRoleBindings, { name: clusterWide });
      await cluster.conditionIs(home, 'RootNamespaceReady', 'True');
    });

    it('refuses names whose root namespace cannot be, or is that of another AppClusterBinding', async () => {
      const long: Home = { ...home, name: 'n'.repeat(50) };
      await cluster.bind(long);
      expect(await cluster.conditionIs(long, 'RootNamespaceReady', 'False RootNamespaceNameTooLong')).toContain('63');
      const dotted: Home = { ...home, name: 'a.b' };
      await cluster.bind(dotted);
      await cluster.conditionIs(dotted, 'RootNamespaceReady', 'False RootNamespaceNameInvalid');
      const twin: Home = { ...home, namespace: `${home.namespace}-b`, name: 'c' };
      const first: Home = { ...home, name: 'b-c' };
      await cluster.makeNamespace(twin.namespace);
      await cluster.makeKubeconfig(twin.namespace, 'app');
      await cluster.bind(first);
      await cluster.conditionIs(first, 'RootNamespaceReady', 'True');
      await cluster.bind(twin);
      expect(await cluster.conditionIs(twin, 'RootNamespaceReady', 'False RootNamespaceConflict')).toContain(
        `${home.namespace}/b-c`,
      );
    });

    it('replaces the roles of Klutch, and asks for nothing that there is', async () => {
      await cluster.offer(home, 'databases');
      await cluster.makeNamespace(home.root, { labels: labelsOf(home) });
      const clusterWide = `klutch-konnector-${home.namespace}-shop`;
      const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
      await cluster.client.create(core.clusterRoleBindings, {
        ...rbac,
        kind: 'ClusterRoleBinding',
        metadata: { name: clusterWide, labels: labelsOf(home) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterWide },
        subjects: [],
      } as unknown as KubeObject);
      await cluster.client.create(core.roleBindings, {
        ...rbac,
        kind: 'RoleBinding',
        metadata: { name: 'control-plane-connector', namespace: home.root, labels: labelsOf(home) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'control-plane-connector' },
        subjects: [],
      } as unknown as KubeObject);
      const name = `databases.${home.group}`;
      await cluster.client.create(resources.apiServiceExportRequests, {
        apiVersion: 'klutch.anynines.com/v1alpha1',
        kind: 'APIServiceExportRequest',
        metadata: { name: 'theirs', namespace: home.root, labels: labelsOf(home) },
        spec: { resources: [entry('databases')] },
      } as unknown as KubeObject);
      // Without claims, as Klutch leaves it.
      await cluster.client.create(resources.apiServiceBindings, {
        apiVersion: 'klutch.anynines.com/v1alpha1',
        kind: 'APIServiceBinding',
        metadata: { name, namespace: home.root, labels: labelsOf(home) },
        spec: { kubeconfigSecretRef: { name: 'other', key: 'k', namespace: home.root } },
      } as unknown as KubeObject);
      await cluster.bind(home, { apiExports: [entry('databases')] });
      await cluster.conditionIs(home, 'Ready', 'True');
      expect(await cluster.read(core.clusterRoleBindings, { name: clusterWide })).toMatchObject({
        roleRef: { name: 'klutch-konnector' },
      });
      expect(await inRoot(core.roleBindings, 'control-plane-connector')).toMatchObject({
        roleRef: { kind: 'ClusterRole' },
      });
      await eventually(async () => {
        expect((await inRoot<APIServiceBinding>(resources.apiServiceBindings, name))?.spec.permissionClaims).toEqual([
          { ...claims[0], state: 'Accepted' },
        ]);
      }, patience);
      expect(
        (await cluster.client.list(resources.apiServiceExportRequests, { namespace: home.root })).items.map(
          ({ metadata }) => metadata.name,
        ),
      ).toEqual(['theirs']);
    });

    it('gives up an API that is taken out, and keeps its export and those of others', async () => {
      await cluster.offer(home, 'databases');
      await cluster.offer(home, 'queues');
      await cluster.bind(home, { apiExports: [entry('databases'), entry('queues')] });
      await cluster.conditionIs(home, 'APIsBound', 'True');
      const name = `queues.${home.group}`;
      await eventually(async () => {
        expect((await inRoot<APIServiceExport>(resources.apiServiceExports, name))?.metadata.labels).toMatchObject(
          labelsOf(home),
        );
      }, patience);
      await changeSpec({ apiExports: [entry('databases')] });
      await eventually(async () => {
        expect(await inRoot(resources.apiServiceBindings, name)).toBeUndefined();
        expect(
          (await cluster.client.list(resources.apiServiceExportRequests, { namespace: home.root })).items,
        ).toHaveLength(1);
      }, patience);
      expect(await inRoot(resources.apiServiceExports, name)).toBeDefined();
      await cluster.client.patch(
        resources.appClusterBindings,
        { namespace: home.namespace, name: home.name },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/deletion-policy': 'Delete' } } } },
      );
      await eventually(async () => {
        expect(await inRoot(resources.apiServiceExports, name)).toBeUndefined();
      }, patience);
      expect(await inRoot(resources.apiServiceExports, `databases.${home.group}`)).toBeDefined();
    });

    it('says why there is no export, and asks again for one that was deleted', async () => {
      await cluster.bind(home, { apiExports: [entry('databases')] });
      await eventually(async () => {
        expect(await cluster.conditionIs(home, 'APIsBound', 'False ExportsPending')).toContain(
          'No template of the provider offers',
        );
      }, patience);
      await cluster.offer(home, 'databases');
      await cluster.conditionIs(home, 'APIsBound', 'True');
      const name = `databases.${home.group}`;
      const before = (await inRoot(resources.apiServiceExports, name))?.metadata.uid;
      await cluster.client.delete(resources.apiServiceExports, { namespace: home.root, name });
      await eventually(async () => {
        const found = await inRoot(resources.apiServiceExports, name);
        expect(found).toBeDefined();
        expect(found?.metadata.uid).not.toBe(before);
      }, patience);
    });

    it('tells what the API server refuses, and goes on when that is over', async () => {
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none', namespace: home.root },
        spec: { hard: { 'count/secrets': '0' } },
      } as UnstructuredObject;
      const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
      await cluster.makeNamespace(home.root, { labels: labelsOf(home) });
      await cluster.client.create(quotas, quota);
      await cluster.client.patch(
        quotas,
        { namespace: home.root, name: 'none' },
        { type: 'merge', patch: { status: { hard: { 'count/secrets': '0' }, used: { 'count/secrets': '0' } } } },
        { subresource: 'status' },
      );
      await cluster.bind(home);
      expect(await cluster.conditionIs(home, 'RootNamespaceReady', 'False WriteRefused')).toContain('quota');
      await cluster.client.delete(quotas, { namespace: home.root, name: 'none' });
      await cluster.conditionIs(home, 'RootNamespaceReady', 'True');
    });
  },
  { controllerManager: true },
);
