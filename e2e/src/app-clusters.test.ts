import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databases } from '@hawser/installation';
import {
  type APIServiceBinding,
  type APIServiceNamespace,
  type AppClusterBinding,
  type ClusterBinding,
  finalizers,
  klutchDialect,
  resources as klutch,
} from '@hawser/klutch';
import { finalizers as kubeBindFinalizers, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { expect } from '@jest/globals';
import { conditionsOf } from './conditions.js';
import { type ServiceObject, gone, objectOf, resourceOf } from './copies.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { klutchApi, send } from './klutch-world.js';
import { type Plane, openPlane } from './plane.js';
import { probe, startProgram, working } from './program.js';
import { refusedRequests } from './refused-requests.js';
import { executables } from './roles.js';
import { serviceAccountConnection } from './service-account.js';

const LONG = { timeoutMs: 90_000, intervalMs: 100 };
/** Of a test. */
const TEST_MS = 240_000;
const { apiVersion } = klutchDialect;
const home = 'apps';
const root = 'klutch-bind-apps-shop';
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

describeKlutchWorld(
  'a control plane of Klutch and an app cluster',
  { name: 'app-clusters', appClusters: home },
  (world, it) => {
    const bind = (annotations: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      world().plane.apply({
        apiVersion,
        kind: 'AppClusterBinding',
        metadata: { name: 'shop', namespace: home, annotations },
        spec: {
          kubeconfigSecretRef: { namespace: home, name: 'shop', key: 'value' },
          apiExports: [{ group: databases.group, resource: databases.plural }],
          konnector: { deploy: true },
        },
      });
    const find = (): Promise<AppClusterBinding | undefined> =>
      world().plane.find(klutch.appClusterBindings, { namespace: home, name: 'shop' });
    const bound = (): Promise<void> =>
      eventually(async () => {
        expect(conditionsOf(await find())).toMatchObject({
          SecretValid: { status: 'True' },
          RootNamespaceReady: { status: 'True' },
          APIsBound: { status: 'True' },
          KonnectorDeployed: { reason: 'KonnectorNotAvailable' },
        });
      }, LONG);
    const remove = async (): Promise<void> => {
      await world().plane.client.delete(klutch.appClusterBindings, { namespace: home, name: 'shop' });
      await eventually(async () => {
        expect(await find()).toBeUndefined();
      }, LONG);
    };
    const instance = `/apis/${databases.group}/v1/namespaces/${root}-team/${databases.plural}`;

    it(
      'has all that a konnector needs, and which the konnector may use',
      async () => {
        await world().plane.apply({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'shop', namespace: home },
          stringData: { value: (await world().onboard('cluster-any')).kubeconfig },
        });
        await bind();
        await bound();
        expect((await find())?.metadata.finalizers).toEqual([finalizers.appClusterBindingCleanup]);
        expect(await world().plane.find(deployments, { namespace: root, name: 'konnector' })).toMatchObject({
          spec: { template: { spec: { serviceAccountName: 'klutch-binder', containers: [{ image: 'konnector:1' }] } } },
        });

        const connection = await serviceAccountConnection(world().plane, root, 'klutch-binder');
        const answers = (method: string, path: string, status: number, body?: object): Promise<void> =>
          eventually(async () => {
            expect({ path, ...(await send(connection, method, path, body)) }).toMatchObject({ path, status });
          }, LONG);
        const own = `${klutchApi}/namespaces/${root}`;
        await answers('GET', `/api/v1/namespaces/${root}/secrets/kubeconfig`, 200);
        await answers('GET', `${own}/apiservicebindings`, 200);
        await answers('PATCH', `${own}/clusterbindings/cluster/status`, 200, {
          status: { konnectorVersion: 'v1.4.0' },
        });
        await answers('POST', `${own}/apiservicenamespaces`, 201, {
          apiVersion,
          kind: 'APIServiceNamespace',
          metadata: { name: 'team' },
        });
        await eventually(async () => {
          expect(
            (
              await world().plane.find<APIServiceNamespace>(klutch.apiServiceNamespaces, {
                namespace: root,
                name: 'team',
              })
            )?.status?.namespace,
          ).toBe(`${root}-team`);
        }, LONG);
        await answers('POST', instance, 201, {
          apiVersion: `${databases.group}/v1`,
          kind: databases.kind,
          metadata: { name: 'orders' },
          spec: { size: 'small' },
        });

        // Of a binding it may write down what it has to remember, and nothing of what is wanted.
        const binding = `${own}/apiservicebindings/${databases.plural}.${databases.group}`;
        await answers('PATCH', binding, 200, { metadata: { annotations: { 'hawser.dev/note': 'any' } } });
        for (const wish of [
          { spec: { permissionClaims: [] } },
          { metadata: { labels: { 'klutch.anynines.com/appclusterbinding-name': null } } },
          { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'kubeconfig', uid: 'any' }] } },
        ])
          await answers('PATCH', binding, 403, wish);
        await answers('POST', `${own}/apiservicebindings`, 403, {
          apiVersion,
          kind: 'APIServiceBinding',
          metadata: { name: 'zones.example.com' },
          spec: { kubeconfigSecretRef: { namespace: root, name: 'kubeconfig', key: 'kubeconfig' } },
        });
        await answers('DELETE', binding, 403);
        await answers('GET', `/api/v1/namespaces/${root}/secrets`, 403);
        await answers('GET', `/api/v1/namespaces/${home}/secrets/shop`, 403);
        await answers('GET', `${klutchApi}/namespaces/cluster-any/apiservicenamespaces`, 403);
        await answers('PATCH', `${klutchApi}/namespaces/${home}/appclusterbindings/shop`, 403, {
          metadata: { annotations: { 'hawser.dev/deletion-policy': 'Delete' } },
        });
      },
      TEST_MS,
    );

    it(
      'the credential of the provider role becomes nobody else by way of a root namespace, under the policy of the chart',
      async () => {
        const { plane } = world();
        if (plane.controlPlane === undefined) throw new Error('it needs a cluster of its own');
        const { connection } = await plane.controlPlane.serviceAccountAccess('hawser', 'hawser-provider');
        const pods = (spec: object, container: object = {}): object => ({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'mine' },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: {
              metadata: { labels: { a: 'b' } },
              spec: {
                serviceAccountName: 'klutch-binder',
                containers: [{ name: 'c', image: 'i', ...container }],
                ...spec,
              },
            },
          },
        });
        const at = (namespace: string, resource: string): string => `/apis/apps/v1/namespaces/${namespace}/${resource}`;
        const rights = '/apis/rbac.authorization.k8s.io/v1';
        const binding = (kind: string, name: string, role: string, subject: object): object => ({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind,
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
          subjects: [subject],
        });
        const binder = { kind: 'ServiceAccount', name: 'klutch-binder', namespace: root };
        const token = (name: string, account: string): object => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
          type: 'kubernetes.io/service-account-token',
        });
        const tries: readonly (readonly [method: string, path: string, body?: object])[] = [
          ['POST', at(home, 'deployments'), pods({})],
          ['POST', at('hawser', 'deployments'), pods({})],
          ['POST', at(`${root}-team`, 'deployments'), pods({})],
          ['POST', at(root, 'deployments'), pods({ serviceAccountName: 'default' })],
          ['POST', at(root, 'deployments'), pods({ hostNetwork: true })],
          ['POST', at(root, 'deployments'), pods({ volumes: [{ name: 'host', hostPath: { path: '/' } }] })],
          ['POST', at(root, 'deployments'), pods({}, { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } })],
          [
            'POST',
            at(root, 'deployments'),
            pods({
              initContainers: [{ name: 'i', image: 'i', securityContext: { procMount: 'Unmasked' } }],
              hostUsers: false,
            }),
          ],
          [
            'PATCH',
            `${at(root, 'deployments')}/konnector`,
            { spec: { template: { spec: { serviceAccountName: 'default' } } } },
          ],
          ['POST', `/api/v1/namespaces/${root}/secrets`, token('kubeconfig', 'klutch-binder')],
          ['POST', `/api/v1/namespaces/${root}/secrets`, token('klutch-binder', 'default')],
          ['POST', `/api/v1/namespaces/${home}/secrets`, token('kubeconfig', 'default')],
          [
            'POST',
            `/api/v1/namespaces/${root}-team/serviceaccounts`,
            { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'klutch-binder' } },
          ],
          [
            'POST',
            `${rights}/namespaces/${home}/rolebindings`,
            binding('RoleBinding', 'control-plane-connector', 'control-plane-connector', binder),
          ],
          [
            'POST',
            `${rights}/namespaces/${root}/rolebindings`,
            binding('RoleBinding', 'other', 'control-plane-connector', binder),
          ],
          [
            'POST',
            `${rights}/clusterrolebindings`,
            binding('ClusterRoleBinding', 'klutch-konnector-x', 'control-plane-connector', binder),
          ],
          [
            'POST',
            `${rights}/clusterrolebindings`,
            binding('ClusterRoleBinding', 'klutch-konnector-x', 'klutch-konnector', {
              kind: 'ServiceAccount',
              name: 'hawser-provider',
              namespace: 'hawser',
            }),
          ],
          ['DELETE', `${rights}/clusterroles/control-plane-connector`],
          ['DELETE', '/api/v1/namespaces/apps'],
          [
            'POST',
            `/api/v1/namespaces/${root}/configmaps`,
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt' } },
          ],
        ];
        for (const [method, path, body] of tries) {
          const answer = await send(connection, method, path, body);
          expect({ method, path, body, status: answer.status, text: answer.text }).toMatchObject({
            status: 403,
            text: expect.stringMatching(/ValidatingAdmissionPolicy '?hawser-(?:provider|namespaces)/u),
          });
        }
      },
      TEST_MS,
    );

    it(
      'its konnector can be hawser-konnector: an app cluster in which nothing runs is in step',
      async () => {
        const { plane, folder, watchdog } = world();
        const app = await openPlane('consumer');
        const far = 'klutch-bind-apps-far';
        try {
          await plane.apply({
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'far', namespace: home },
            stringData: { value: readFileSync(app.kubeconfigFile, 'utf8') },
          });
          await plane.apply({
            apiVersion,
            kind: 'AppClusterBinding',
            metadata: { name: 'far', namespace: home },
            spec: {
              kubeconfigSecretRef: { namespace: home, name: 'far', key: 'value' },
              apiExports: [{ group: databases.group, resource: databases.plural }],
              konnector: { deploy: true },
            },
          });
          const deployment = (await eventually(
            () => plane.client.get(deployments, { namespace: far, name: 'konnector' }),
            LONG,
          )) as unknown as {
            readonly spec: {
              readonly template: {
                readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] };
              };
            };
          };
          const kubeconfig = join(folder, 'far.kubeconfig');
          writeFileSync(
            kubeconfig,
            (await plane.controlPlane?.serviceAccountAccess(far, 'klutch-binder'))?.kubeconfig ?? '',
            { mode: 0o600 },
          );
          // Of a pod, but for how it finds its cluster.
          const start = {
            folder,
            watchdog,
            command: executables.konnector,
            args: deployment.spec.template.spec.containers[0].args,
            env: { POD_NAME: 'far', POD_NAMESPACE: far, KUBECONFIG: kubeconfig },
          };
          const konnector = await startProgram({ ...start, name: 'far' });
          await working(konnector, 'konnector works');
          await app.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
          const key = { namespace: 'team', name: 'orders' };
          const copy = { namespace: `${far}-team`, name: 'orders' };
          await eventually(() => app.client.create(resourceOf(databases), objectOf(databases, key)), LONG);
          expect(
            (await eventually(() => plane.client.get<ServiceObject>(resourceOf(databases), copy), LONG)).metadata
              .annotations,
          ).toMatchObject({ 'klutch.anynines.com/bound': 'true' });
          await plane.client.patch(
            resourceOf(databases),
            copy,
            { type: 'merge', patch: { status: { phase: 'Ready' } } },
            { subresource: 'status' },
          );
          await eventually(async () => {
            expect((await app.client.get<ServiceObject>(resourceOf(databases), key)).status).toEqual({
              phase: 'Ready',
            });
          }, LONG);
          await plane.client.create(resources.secrets, {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { namespace: copy.namespace, name: 'creds' },
          });
          await eventually(() => app.client.get(resources.secrets, { namespace: 'team', name: 'creds' }), LONG);
          await eventually(async () => {
            expect(
              conditionsOf(
                await plane.find<APIServiceBinding>(klutch.apiServiceBindings, {
                  namespace: far,
                  name: `${databases.plural}.${databases.group}`,
                }),
              ),
            ).toMatchObject({ Ready: { status: 'True' }, SchemaInSync: { status: 'True' } });
            expect(
              (await plane.find<ClusterBinding>(klutch.clusterBindings, { namespace: far, name: 'cluster' }))?.status,
            ).toMatchObject({ lastHeartbeatTime: expect.any(String), konnectorVersion: expect.any(String) });
          }, LONG);
          expect((await probe(konnector, '/healthz')).status).toBe(200);
          // The Secret with the app cluster's kubeconfig is as it was, and nothing of Klutch is in the app cluster.
          expect(await plane.find(resources.secrets, { namespace: far, name: 'kubeconfig' })).toMatchObject({
            data: { kubeconfig: Buffer.from(readFileSync(app.kubeconfigFile, 'utf8')).toString('base64') },
          });
          expect(
            (await app.client.list(resources.customResourceDefinitions)).items.map(({ metadata }) => metadata.name),
          ).toEqual([`${databases.plural}.${databases.group}`]);

          // A kubeconfig that is replaced is taken up by the same process.
          const renewed = Buffer.from(`${readFileSync(app.kubeconfigFile, 'utf8')}\n`).toString('base64');
          await plane.client.patch(
            resources.secrets,
            { namespace: home, name: 'far' },
            { type: 'merge', patch: { data: { value: renewed } } },
          );
          await eventually(() => {
            expect(konnector.log().match(/konnector works/gu)).toHaveLength(2);
          }, LONG);
          await app.client.patch(resourceOf(databases), key, { type: 'merge', patch: { spec: { size: 'large' } } });
          await eventually(async () => {
            expect((await plane.client.get<ServiceObject>(resourceOf(databases), copy)).spec).toMatchObject({
              size: 'large',
            });
          }, LONG);

          await konnector.stop();
          await app.client.delete(resourceOf(databases), key);
          const next = await startProgram({ ...start, name: 'far-2' });
          await working(next, 'konnector works');
          await gone(() => plane.find(resourceOf(databases), copy));
          await gone(() => app.find(resourceOf(databases), key));

          // Which clusters a binding is bound to outlasts its konnectors.
          const bindingKey = { namespace: far, name: `${databases.plural}.${databases.group}` };
          const found = (): Promise<APIServiceBinding | undefined> => plane.find(klutch.apiServiceBindings, bindingKey);
          const uidOf = async (at: Plane, name: string): Promise<string | undefined> =>
            (await at.find(resources.namespaces, { name }))?.metadata.uid;
          expect((await found())?.metadata.annotations).toMatchObject({
            'hawser.dev/provider-identity': await uidOf(plane, far),
            'hawser.dev/consumer-identity': await uidOf(app, 'kube-system'),
          });

          // Under Delete, an API that is wanted no longer takes its instances along; the AppClusterBinding itself waits for its konnector to have unbound the rest.
          const setPolicy = async (policy: string): Promise<void> => {
            await plane.client.patch(klutch.apiServiceBindings, bindingKey, {
              type: 'merge',
              patch: { metadata: { annotations: { 'hawser.dev/unbind-policy': policy } } },
            });
            await eventually(async () => {
              expect((await found())?.metadata.finalizers).toEqual([kubeBindFinalizers.unbind]);
            }, LONG);
          };
          const wantApis = (apis: readonly object[]): Promise<unknown> =>
            plane.client.patch(
              klutch.appClusterBindings,
              { namespace: home, name: 'far' },
              { type: 'merge', patch: { spec: { apiExports: apis } } },
            );
          await eventually(() => app.client.create(resourceOf(databases), objectOf(databases, key)), LONG);
          await eventually(() => plane.client.get(resourceOf(databases), copy), LONG);
          await setPolicy('Delete');
          await wantApis([]);
          await gone(found);
          expect(await plane.find(resourceOf(databases), copy)).toBeUndefined();
          expect(await app.find(resources.customResourceDefinitions, { name: bindingKey.name })).toBeUndefined();
          await wantApis([{ group: databases.group, resource: databases.plural }]);
          await eventually(() => app.client.create(resourceOf(databases), objectOf(databases, key)), LONG);
          await eventually(() => plane.client.get(resourceOf(databases), copy), LONG);

          expect(await refusedRequests(plane, `system:serviceaccount:${far}:klutch-binder`)).toEqual([]);

          await setPolicy('Block');
          const self = { namespace: home, name: 'far' };
          await plane.client.delete(klutch.appClusterBindings, self);
          await eventually(async () => {
            expect(conditionsOf(await plane.find(klutch.appClusterBindings, self))['CleanedUp']).toMatchObject({
              reason: 'WaitingForDeletion',
              message: expect.stringMatching(
                /held by hawser\.dev\/unbind.*1 object is left: 1 databases\.example\.com/u,
              ),
            });
          }, LONG);
          expect(await plane.find(deployments, { namespace: far, name: 'konnector' })).toBeDefined();
          await plane.client.patch(klutch.apiServiceBindings, bindingKey, {
            type: 'merge',
            patch: { metadata: { annotations: { 'hawser.dev/release': 'the app cluster is to keep it' } } },
          });
          await gone(() => plane.find(klutch.appClusterBindings, self));
          expect((await plane.client.list(resources.configMaps, { namespace: far })).items).toContainEqual(
            expect.objectContaining({
              data: expect.objectContaining({ objects: expect.stringContaining('databases.example.com team/orders') }),
            }),
          );
          expect(await plane.find(resourceOf(databases), copy)).toBeDefined();
          await next.stop();
          expect(`${konnector.log()}${next.log()}`).not.toMatch(/"level":"error"|level=error/u);
        } finally {
          await app.stop();
        }
      },
      TEST_MS,
    );

    it(
      'keeps the instances of an AppClusterBinding that is deleted, and gives them back',
      async () => {
        await remove();
        expect((await world().look(`${instance}/orders`)).status).toBe(200);
        expect(await world().plane.find(deployments, { namespace: root, name: 'konnector' })).toBeUndefined();
        expect(await world().plane.find(resources.secrets, { namespace: root, name: 'kubeconfig' })).toBeUndefined();
        await bind();
        await bound();
        expect((await world().look(`${instance}/orders`)).status).toBe(200);
      },
      TEST_MS,
    );

    it(
      'deletes them where that is asked for',
      async () => {
        await bind({ 'hawser.dev/deletion-policy': 'Delete' });
        await remove();
        for (const name of [root, `${root}-team`])
          expect(await world().plane.find(resources.namespaces, { name })).toBeUndefined();
      },
      TEST_MS,
    );
  },
);
