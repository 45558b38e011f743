import { getIfExists, type KubeObject, type Resource, type UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { controlPlaneCRDs, installCRDs, labels, providerCRDs, resources } from '@hawser/klutch';
import { getCondition, resources as core } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type LaggingCluster,
  openLaggingCluster,
  telemetry,
} from '../../../konnector/konnector-connection/src/testing/lagging-cluster.js';
import { createAppClusterBindingController } from './index.js';

const shop = { namespace: 'apps', name: 'shop' };
const root = 'klutch-bind-apps-shop';
const instances = `${root}-team`;
const databases = { namespace: root, name: 'databases.example.com' };

let provider: LaggingCluster;
let controller: Controller<'provider'>;

const make = (resource: Resource, object: object): Promise<KubeObject> =>
  provider.people.create(resource, object as UnstructuredObject);
const find = <T extends KubeObject>(
  resource: Resource,
  key: { namespace?: string; name: string },
): Promise<T | undefined> => getIfExists<T>(provider.people, resource, key);
const namespace = (name: string, annotations = {}): Promise<KubeObject> =>
  make(core.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } });

/** An app cluster with an API and a namespace of instances, whose AppClusterBinding deletes them with it. */
beforeEach(async () => {
  provider = openLaggingCluster('provider', { lacks: 'deployments' });
  await installCRDs(provider.people, [...providerCRDs, ...controlPlaneCRDs], { clock: systemClock });
  await namespace('apps');
  await namespace(instances, { 'klutch.anynines.com/api-service-namespace': `${root}/team` });
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'app', cluster: { server: 'https://app.invalid' } }],
    users: [{ name: 'app', user: { token: 'secret' } }],
    contexts: [{ name: 'app', context: { cluster: 'app', user: 'app' } }],
    'current-context': 'app',
  });
  await make(core.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'apps', name: 'app' },
    data: { value: Buffer.from(kubeconfig).toString('base64') },
  });
  await make(resources.appClusterBindings, {
    apiVersion: 'klutch.anynines.com/v1alpha1',
    kind: 'AppClusterBinding',
    metadata: { ...shop, annotations: { 'hawser.dev/deletion-policy': 'Delete' } },
    spec: {
      kubeconfigSecretRef: { namespace: 'apps', name: 'app', key: 'value' },
      apiExports: [{ group: 'example.com', resource: 'databases' }],
    },
  });
  controller = createAppClusterBindingController({ deletionPollMs: 100 });
  await controller.start({
    ...telemetry,
    clusters: { provider: provider.cluster },
    signal: new AbortController().signal,
  });
  await eventually(() => provider.people.get(resources.apiServiceBindings, databases));
}, 30_000);
afterEach(async () => {
  await controller.stop();
  await provider.close();
});

/** The controller wants to delete the APIServiceBinding, and the server fails that until a backup is restored. */
async function restoreMeanwhile(backup: ReturnType<LaggingCluster['backup']>): Promise<void> {
  await eventually(() => {
    expect(provider.requests).toContain(`delete apiservicebindings ${databases.name}`);
  });
  provider.restore(backup);
  provider.refuses = () => false;
  provider.requests.length = 0;
  await eventually(() => {
    expect(provider.requests.filter((made) => made === 'get appclusterbindings shop').length).toBeGreaterThanOrEqual(3);
  });
}

it('deletes nothing of an AppClusterBinding whose deletion a backup has undone', async () => {
  const backup = provider.backup();
  provider.refuses = ({ verb, resource }) => verb === 'delete' && resource === 'apiservicebindings';
  await provider.people.delete(resources.appClusterBindings, shop);
  await restoreMeanwhile(backup);
  expect(provider.requests.filter((made) => made.startsWith('delete'))).toEqual([]);
  for (const name of [root, instances]) expect(await find(core.namespaces, { name })).toBeDefined();
  const { status } = await provider.people.get<KubeObject & { status?: { conditions?: [] } }>(
    resources.appClusterBindings,
    shop,
  );
  expect(getCondition(status?.conditions, 'CleanedUp')).toBeUndefined();

  provider.see();
  await provider.people.delete(resources.appClusterBindings, shop);
  await eventually(async () => {
    expect(await find(core.namespaces, { name: instances })).toBeUndefined();
  });
});

it('keeps the binding of an API that a backup has put back into the AppClusterBinding', async () => {
  const backup = provider.backup();
  provider.refuses = ({ verb }) => verb === 'delete';
  await provider.people.patch(resources.appClusterBindings, shop, {
    type: 'merge',
    patch: { spec: { apiExports: [] } },
  });
  await restoreMeanwhile(backup);
  expect(provider.requests.filter((made) => made.startsWith('delete'))).toEqual([]);
  expect(await find(resources.apiServiceBindings, databases)).toBeDefined();
});

it('keeps the export of an API whose binding a backup has put back', async () => {
  await make(resources.apiServiceExports, {
    apiVersion: 'klutch.anynines.com/v1alpha1',
    kind: 'APIServiceExport',
    metadata: {
      ...databases,
      labels: {
        [labels.appClusterBindingNamespace]: shop.namespace,
        [labels.appClusterBindingName]: shop.name,
      },
    },
    spec: {
      group: 'example.com',
      names: { kind: 'Database', plural: 'databases' },
      scope: 'Namespaced',
      informerScope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  provider.refuses = ({ verb }) => verb === 'delete';
  await provider.people.patch(resources.appClusterBindings, shop, {
    type: 'merge',
    patch: { spec: { apiExports: [] } },
  });
  await eventually(() => {
    expect(provider.requests).toContain(`delete apiservicebindings ${databases.name}`);
  });
  const backup = provider.backup();
  provider.refuses = ({ verb, resource }) => verb === 'delete' && resource === 'apiserviceexports';
  await eventually(() => {
    expect(provider.requests).toContain(`delete apiserviceexports ${databases.name}`);
  });
  provider.restore(backup);
  provider.refuses = () => false;
  provider.requests.length = 0;
  await eventually(() => {
    expect(provider.requests.filter((made) => made === 'get appclusterbindings shop').length).toBeGreaterThanOrEqual(3);
  });
  expect(provider.requests.filter((made) => made.startsWith('delete'))).toEqual([]);
  expect(await find(resources.apiServiceExports, databases)).toBeDefined();

  provider.see();
  await eventually(async () => {
    expect(await find(resources.apiServiceExports, databases)).toBeUndefined();
  });
});
