import { databases } from '@hawser/installation';
import { type APIServiceNamespace, type AppClusterBinding, finalizers, klutchDialect, resources as klutch } from '@hawser/klutch';
import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { expect } from '@jest/globals';
import { conditionsOf } from './conditions.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { klutchApi, send } from './klutch-world.js';
import { serviceAccountConnection } from './service-account.js';

const LONG = { timeoutMs: 90_000, intervalMs: 100 };
/** Of a test. */
const TEST_MS = 240_000;
const { apiVersion } = klutchDialect;
const home = 'apps';
const root = 'klutch-bind-apps-shop';
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

describeKlutchWorld('a control plane of Klutch and an app cluster', { appClusters: home }, (world, it) => {
  const bind = (annotations: Readonly<Record<string, string>> = {}): Promise<unknown> => world().plane.apply({
    apiVersion, kind: 'AppClusterBinding', metadata: { name: 'shop', namespace: home, annotations },
    spec: { kubeconfigSecretRef: { namespace: home, name: 'shop', key: 'value' }, apiExports: [{ group: databases.group, resource: databases.plural }], konnector: { deploy: true } },
  });
  const find = (): Promise<AppClusterBinding | undefined> => world().plane.find(klutch.appClusterBindings, { namespace: home, name: 'shop' });
  const bound = (): Promise<void> => eventually(async () => { expect(conditionsOf(await find())).toMatchObject({ SecretValid: { status: 'True' }, RootNamespaceReady: { status: 'True' }, APIsBound: { status: 'True' }, KonnectorDeployed: { reason: 'KonnectorNotAvailable' } }); }, LONG);
  const remove = async (): Promise<void> => {
    await world().plane.client.delete(klutch.appClusterBindings, { namespace: home, name: 'shop' });
    await eventually(async () => { expect(await find()).toBeUndefined(); }, LONG);
  };
  const instance = `/apis/${databases.group}/v1/namespaces/${root}-team/${databases.plural}`;

  it('has all that a konnector needs, and which the konnector may use', async () => {
    await world().plane.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop', namespace: home }, stringData: { value: (await world().onboard('cluster-any')).kubeconfig } });
    await bind();
    await bound();
    expect((await find())?.metadata.finalizers).toEqual([finalizers.appClusterBindingCleanup]);
    expect(await world().plane.find(deployments, { namespace: root, name: 'konnector' })).toMatchObject({ spec: { template: { spec: { serviceAccountName: 'klutch-binder', containers: [{ image: 'konnector:1' }] } } } });

    const connection = await serviceAccountConnection(world().plane, root, 'klutch-binder');
    const answers = (method: string, path: string, status: number, body?: object): Promise<void> => eventually(async () => { expect({ path, ...await send(connection, method, path, body) }).toMatchObject({ path, status }); }, LONG);
    const own = `${klutchApi}/namespaces/${root}`;
    await answers('GET', `/api/v1/namespaces/${root}/secrets/kubeconfig`, 200);
    await answers('GET', `${own}/apiservicebindings`, 200);
    await answers('PATCH', `${own}/clusterbindings/cluster/status`, 200, { status: { konnectorVersion: 'v1.4.0' } });
    await answers('POST', `${own}/apiservicenamespaces`, 201, { apiVersion, kind: 'APIServiceNamespace', metadata: { name: 'team' } });
    await eventually(async () => { expect((await world().plane.find<APIServiceNamespace>(klutch.apiServiceNamespaces, { namespace: root, name: 'team' }))?.status?.namespace).toBe(`${root}-team`); }, LONG);
    await answers('POST', instance, 201, { apiVersion: `${databases.group}/v1`, kind: databases.kind, metadata: { name: 'orders' }, spec: { size: 'small' } });

    await answers('PATCH', `${own}/apiservicebindings/${databases.plural}.${databases.group}`, 403, { spec: { permissionClaims: [] } });
    await answers('GET', `/api/v1/namespaces/${root}/secrets`, 403);
    await answers('GET', `/api/v1/namespaces/${home}/secrets/shop`, 403);
    await answers('GET', `${klutchApi}/namespaces/cluster-any/apiservicenamespaces`, 403);
    await answers('PATCH', `${klutchApi}/namespaces/${home}/appclusterbindings/shop`, 403, { metadata: { annotations: { 'hawser.dev/deletion-policy': 'Delete' } } });
  }, TEST_MS);

  it('keeps the instances of an AppClusterBinding that is deleted, and gives them back', async () => {
    await remove();
    expect((await world().look(`${instance}/orders`)).status).toBe(200);
    expect(await world().plane.find(deployments, { namespace: root, name: 'konnector' })).toBeUndefined();
    expect(await world().plane.find(resources.secrets, { namespace: root, name: 'kubeconfig' })).toBeUndefined();
    await bind();
    await bound();
    expect((await world().look(`${instance}/orders`)).status).toBe(200);
  }, TEST_MS);

  it('deletes them where that is asked for', async () => {
    await bind({ 'hawser.dev/deletion-policy': 'Delete' });
    await remove();
    for (const name of [root, `${root}-team`]) expect(await world().plane.find(resources.namespaces, { name })).toBeUndefined();
  }, TEST_MS);
});
