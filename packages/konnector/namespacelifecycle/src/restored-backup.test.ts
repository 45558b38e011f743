import { type Client, getIfExists, type KubeObject, type ObjectMeta, type Resource } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { crdOf } from '@hawser/installation';
import { createServedBindings, readConsumerIdentity } from '@hawser/konnector-connection';
import { consumerCRDs, hawserAnnotations, installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { connectionTo } from '../../konnector-connection/src/testing/sample-connection.js';
import { schemaSpec } from '../../konnector-connection/src/testing/konnector-pair.js';
import {
  type LaggingCluster,
  openLaggingCluster,
  telemetry,
} from '../../konnector-connection/src/testing/lagging-cluster.js';
import { createNamespaceLifecycle } from './index.js';

const group = 'example.com';
const clusterNamespace = 'kube-bind-acme';
const service = 'kube-bind-acme-team';
const team = { namespace: clusterNamespace, name: 'team' };

let consumer: LaggingCluster;
let provider: LaggingCluster;
let controller: Controller<'consumer' | 'provider'>;

const make = (client: Client, resource: Resource, kind: string, metadata: ObjectMeta, rest = {}): Promise<KubeObject> =>
  client.create(resource, {
    apiVersion: resource.group === '' ? 'v1' : `${resource.group}/${resource.version}`,
    kind,
    metadata,
    ...rest,
  });

/** The provider exports databases. The service namespace of a namespace of the consumer is empty. */
beforeEach(async () => {
  consumer = openLaggingCluster('consumer');
  provider = openLaggingCluster('provider');
  await installCRDs(consumer.people, consumerCRDs, telemetry);
  await installCRDs(provider.people, providerCRDs, telemetry);
  for (const name of [clusterNamespace, service])
    await make(provider.people, resources.namespaces, 'Namespace', { name });
  await make(consumer.people, resources.namespaces, 'Namespace', { name: 'team' });
  await make(
    consumer.people,
    resources.apiServiceBindings,
    'APIServiceBinding',
    { name: 'databases' },
    {
      spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
    },
  );
  await provider.people.create(
    resources.customResourceDefinitions,
    crdOf({ group, plural: 'databases', kind: 'Database', scope: 'Namespaced' }, { properties: {} }),
  );
  await make(
    provider.people,
    resources.boundSchemas,
    'BoundSchema',
    { namespace: clusterNamespace, name: `databases.${group}` },
    { spec: schemaSpec(group, 'databases') },
  );
  await make(
    provider.people,
    resources.apiServiceExports,
    'APIServiceExport',
    { namespace: clusterNamespace, name: 'databases' },
    {
      spec: {
        resources: [{ group, resource: 'databases', versions: ['v1'] }],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      },
    },
  );
  const identity = await readConsumerIdentity(consumer.people, AbortSignal.timeout(20_000));
  await make(provider.people, resources.apiServiceNamespaces, 'APIServiceNamespace', {
    ...team,
    annotations: { [hawserAnnotations.consumerIdentity]: identity },
  });
  await provider.people.patch(
    resources.apiServiceNamespaces,
    team,
    { type: 'merge', patch: { status: { namespace: service } } },
    { subresource: 'status' },
  );
});
afterEach(async () => {
  await controller.stop();
  await consumer.close();
  await provider.close();
});

async function start(): Promise<void> {
  const bindings = createServedBindings();
  bindings.join('databases');
  controller = createNamespaceLifecycle({
    connection: connectionTo(clusterNamespace, bindings),
    lookAgainMs: 200,
  });
  await controller.start({
    ...telemetry,
    clusters: { consumer: consumer.cluster, provider: provider.cluster },
    signal: new AbortController().signal,
  });
}

/** The konnector wants to delete the APIServiceNamespace, and the provider fails that. */
async function wantsToDelete(): Promise<void> {
  provider.refuses = ({ verb }) => verb === 'delete';
  await consumer.people.delete(resources.namespaces, { name: 'team' });
  await eventually(() => {
    expect(provider.requests).toContain('delete apiservicenamespaces team');
  });
}

async function looksOn(): Promise<void> {
  provider.refuses = () => false;
  provider.requests.length = 0;
  await eventually(async () => {
    const looks = provider.requests.filter((made) => made === 'list databases').length;
    expect(looks >= 3 || (await request()) === undefined).toBe(true);
  });
}

const request = (): Promise<KubeObject | undefined> =>
  getIfExists<KubeObject>(provider.people, resources.apiServiceNamespaces, team);

it('keeps the namespace of copies whose claim a backup of the consumer has restored', async () => {
  const claim = (permissionClaims: readonly object[]): Promise<unknown> =>
    consumer.people.patch(
      resources.apiServiceBindings,
      { name: 'databases' },
      { type: 'merge', patch: { status: { permissionClaims } } },
      { subresource: 'status' },
    );
  await make(provider.people, resources.secrets, 'Secret', {
    namespace: service,
    name: 'lost',
    labels: { 'kube-bind.io/owner': 'consumer' },
    annotations: { 'kube-bind.io/consumer-namespace': 'team', 'kube-bind.io/consumer-uid': 'u' },
  });
  await claim([{ group: '', resource: 'secrets', selector: { all: true } }]);
  await consumer.people.delete(resources.namespaces, { name: 'team' });
  await eventually(async () => {
    expect(await getIfExists(consumer.people, resources.namespaces, { name: 'team' })).toBeUndefined();
  });
  const backup = consumer.backup();
  await make(consumer.people, resources.namespaces, 'Namespace', { name: 'team' });
  await claim([]);
  await start();
  await wantsToDelete();

  consumer.restore(backup);
  await looksOn();
  expect((await request())?.metadata).toMatchObject({ name: 'team' });
  expect((await request())?.metadata.deletionTimestamp).toBeUndefined();
});

it('keeps the namespace of objects whose export a backup of the provider has restored', async () => {
  await provider.people.create(
    resources.customResourceDefinitions,
    crdOf({ group, plural: 'volumes', kind: 'Volume', scope: 'Namespaced' }, { properties: {} }),
  );
  await make(
    provider.people,
    resources.boundSchemas,
    'BoundSchema',
    { namespace: clusterNamespace, name: `volumes.${group}` },
    { spec: schemaSpec(group, 'volumes') },
  );
  const exported = { namespace: clusterNamespace, name: 'volumes' };
  await make(provider.people, resources.apiServiceExports, 'APIServiceExport', exported, {
    spec: {
      resources: [{ group, resource: 'volumes', versions: ['v1'] }],
      informerScope: 'Namespaced',
      isolation: 'Prefixed',
    },
  });
  const volumes = { group, version: 'v1', resource: 'volumes' };
  const one = { namespace: service, name: 'one' };
  await eventually(() => make(provider.people, volumes, 'Volume', one));
  const backup = provider.backup();
  await provider.people.delete(volumes, one);
  await provider.people.delete(resources.apiServiceExports, exported);
  await start();
  await wantsToDelete();

  provider.restoreUnnoticed(backup);
  await looksOn();
  expect((await request())?.metadata).toMatchObject({ name: 'team' });
  expect((await request())?.metadata.deletionTimestamp).toBeUndefined();
});
