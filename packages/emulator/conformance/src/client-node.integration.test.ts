/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment, @typescript-eslint/no-misused-spread -- Its classes have no behaviour: programs give literals, as its documentation does. */
import { createApiServer, listen } from '@hawser/apiserver';
import { describeWithControlPlane, eventually, kubeconfigText, startControlPlane } from '@hawser/testenv';
import {
  ApiException,
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  RbacAuthorizationV1Api,
  type V1ConfigMap,
  Watch,
  makeInformer,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

interface Server {
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const servers: readonly { readonly name: string; readonly start: () => Promise<Server> }[] = [
  {
    name: 'embedded',
    async start() {
      const server = createApiServer();
      const listener = await listen(server);
      return {
        kubeconfig: listener.kubeconfig,
        async stop() {
          await listener.close();
          server.stop();
        },
      };
    },
  },
  {
    name: 'real',
    async start() {
      const plane = await startControlPlane({ name: 'client-node' });
      return { kubeconfig: kubeconfigText('real', plane.connection), stop: () => plane.stop() };
    },
  },
];

const group = 'example.com';
const widgets = { group, version: 'v1', namespace: 'default', plural: 'widgets' };

// The client that most programs in this language use, from outside: what it does with the real server it does with the embedded one.
for (const { name, start } of servers)
  describeWithControlPlane(`@kubernetes/client-node at the ${name} server`, () => {
    let server: Server;
    const config = new KubeConfig();
    beforeAll(async () => {
      server = await start();
      config.loadFromString(server.kubeconfig);
    }, 120_000);
    afterAll(async () => {
      await server.stop();
    });

    it('makes, reads, changes, lists and deletes objects of the core', async () => {
      const core = config.makeApiClient(CoreV1Api);
      const namespace = 'default';
      const body = { metadata: { name: 'settings', labels: { of: 'core' } }, data: { colour: 'blue' } };
      const made = await core.createNamespacedConfigMap({ namespace, body });
      expect(made.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/u);
      expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
      const replaced = await core.replaceNamespacedConfigMap({
        namespace,
        name: 'settings',
        body: { ...made, data: { colour: 'green' } },
      });
      expect(replaced.metadata?.resourceVersion).not.toBe(made.metadata?.resourceVersion);
      await expect(
        core.replaceNamespacedConfigMap({ namespace, name: 'settings', body: { ...made, data: {} } }),
      ).rejects.toMatchObject({ code: 409 });
      const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: 'of=core' });
      expect(items.map(({ data }) => data)).toEqual([{ colour: 'green' }]);
      await core.deleteNamespacedConfigMap({ namespace, name: 'settings' });
      const gone = await core.readNamespacedConfigMap({ namespace, name: 'settings' }).catch((error: unknown) => error);
      expect(gone).toBeInstanceOf(ApiException);
      expect(gone).toMatchObject({ code: 404 });
    });

    it('installs a CRD and keeps custom objects, with their status', async () => {
      const extensions = config.makeApiClient(ApiextensionsV1Api);
      const spec = { type: 'object', properties: { size: { type: 'integer' } } };
      const status = { type: 'object', properties: { ready: { type: 'boolean' } } };
      await extensions.createCustomResourceDefinition({
        body: {
          metadata: { name: `widgets.${group}` },
          spec: {
            group,
            scope: 'Namespaced',
            names: { plural: 'widgets', kind: 'Widget' },
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                subresources: { status: {} },
                schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
              },
            ],
          },
        },
      });
      const custom = config.makeApiClient(CustomObjectsApi);
      const body = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } };
      await eventually(() => custom.createNamespacedCustomObject({ ...widgets, body }));
      await custom.patchNamespacedCustomObjectStatus({
        ...widgets,
        name: 'one',
        body: [{ op: 'add', path: '/status', value: { ready: true } }],
      });
      expect(await custom.getNamespacedCustomObject({ ...widgets, name: 'one' })).toMatchObject({
        spec: { size: 1 },
        status: { ready: true },
      });
      expect(await custom.listNamespacedCustomObject(widgets)).toMatchObject({
        kind: 'WidgetList',
        items: [{ metadata: { name: 'one' } }],
      });
    });

    it('finds kinds by discovery, and applies, patches and deletes them', async () => {
      const objects = KubernetesObjectApi.makeApiClient(config);
      const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'two', namespace: 'default' } };
      const applied = await objects.patch(
        { ...widget, spec: { size: 2 } } as KubernetesObject,
        undefined,
        undefined,
        'test',
        true,
        PatchStrategy.ServerSideApply,
      );
      expect(applied.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
        ['test', 'Apply'],
      ]);
      const merged = await objects.patch(
        { ...widget, spec: { size: 3 } } as KubernetesObject,
        undefined,
        undefined,
        'test',
        undefined,
        PatchStrategy.MergePatch,
      );
      expect(merged).toMatchObject({ spec: { size: 3 } });
      expect((await objects.list(`${group}/v1`, 'Widget', 'default')).items).toHaveLength(2);
      await objects.delete(widget);
      await expect(objects.read(widget)).rejects.toMatchObject({ code: 404 });
    });

    it('watches from a version on', async () => {
      const core = config.makeApiClient(CoreV1Api);
      const { metadata } = await core.listNamespacedConfigMap({ namespace: 'default' });
      const seen: string[] = [];
      const watching = await new Watch(config).watch(
        '/api/v1/namespaces/default/configmaps',
        { resourceVersion: metadata?.resourceVersion ?? '', labelSelector: 'of=watch' },
        (phase, object: V1ConfigMap) => {
          seen.push(`${phase} ${object.metadata?.name ?? ''}`);
        },
        () => undefined,
      );
      try {
        const body = { metadata: { name: 'watched', labels: { of: 'watch' } } };
        await core.createNamespacedConfigMap({ namespace: 'default', body });
        await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'watched' });
        await eventually(() => {
          expect(seen).toEqual(['ADDED watched', 'DELETED watched']);
        });
      } finally {
        watching.abort();
      }
    });

    it('keeps an informer in step', async () => {
      const core = config.makeApiClient(CoreV1Api);
      const labelSelector = 'of=informer';
      const informer = makeInformer<V1ConfigMap>(
        config,
        '/api/v1/namespaces/default/configmaps',
        () => core.listNamespacedConfigMap({ namespace: 'default', labelSelector }),
        labelSelector,
      );
      const events: string[] = [];
      for (const verb of ['add', 'update', 'delete'] as const)
        informer.on(verb, ({ metadata }) => {
          events.push(`${verb} ${metadata?.name ?? ''}`);
        });
      const body = (colour: string): V1ConfigMap => ({
        metadata: { name: 'informed', labels: { of: 'informer' } },
        data: { colour },
      });
      await core.createNamespacedConfigMap({ namespace: 'default', body: body('blue') });
      await informer.start();
      try {
        await eventually(() => {
          expect(informer.get('informed', 'default')?.data).toEqual({ colour: 'blue' });
        });
        await core.replaceNamespacedConfigMap({ namespace: 'default', name: 'informed', body: body('green') });
        await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'informed' });
        await eventually(() => {
          expect(events).toEqual(['add informed', 'update informed', 'delete informed']);
        });
        expect(informer.list()).toEqual([]);
      } finally {
        await informer.stop();
      }
    });

    it('is refused what its ServiceAccount may not do, and may do it once a role says so', async () => {
      const core = config.makeApiClient(CoreV1Api);
      const namespace = 'default';
      await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'reader' } } });
      const { status } = await core.createNamespacedServiceAccountToken({
        namespace,
        name: 'reader',
        body: { spec: { audiences: [], expirationSeconds: 600 } },
      });
      const cluster = config.getCurrentCluster();
      const own = new KubeConfig();
      if (cluster === null) throw new Error('the kubeconfig has no cluster');
      own.loadFromClusterAndUser(cluster, { name: 'reader', token: status?.token ?? '' });
      const reader = own.makeApiClient(CoreV1Api);
      await expect(reader.listNamespacedConfigMap({ namespace })).rejects.toMatchObject({ code: 403 });
      const rbac = config.makeApiClient(RbacAuthorizationV1Api);
      await rbac.createNamespacedRole({
        namespace,
        body: {
          metadata: { name: 'reader' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
        },
      });
      await rbac.createNamespacedRoleBinding({
        namespace,
        body: {
          metadata: { name: 'reader' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
          subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
        },
      });
      await eventually(() => reader.listNamespacedConfigMap({ namespace }));
    });
  });
