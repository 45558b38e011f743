import { type Client, getIfExists, type KubeObject, listAll } from '@hawser/client';
import { type Connection, finalizers, labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { resources as kubeResources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type LaggingCluster, openLaggingCluster } from '../../konnector-connection/src/testing/lagging-cluster.js';
import { createConnectionController } from './index.js';
import { type EmbeddedClusters, openEmbeddedClusters } from './testing/embedded-clusters.js';

const key = { name: 'demo' };
const secret = { namespace: 'kbind', ...key };

let clusters: EmbeddedClusters<LaggingCluster>;
const people = (): Readonly<Record<'consumer' | 'provider', Client>> => ({
  consumer: clusters.consumer.people,
  provider: clusters.provider.people,
});

beforeEach(async () => {
  clusters = await openEmbeddedClusters(openLaggingCluster);
  const offered = crdOf(
    { group: 'example.org', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
    { labels: { [labels.exported]: 'true' }, properties: { spec: { type: 'object' } } },
  );
  await people().provider.create(customResourceDefinitions, offered);
  await clusters.start(createConnectionController({ open: clusters.open }));
});
afterEach(() => clusters.close());

const connection = (): Promise<Connection | undefined> =>
  getIfExists<Connection>(people().consumer, resources.connections, key);
async function connect(spec: object = {}): Promise<void> {
  await clusters.connect('demo', spec);
  await eventually(async () => {
    expect((await connection())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
  });
}
/** Three more requests of the konnector. */
async function looksOn(): Promise<void> {
  clusters.consumer.requests.length = 0;
  await eventually(() => {
    expect(clusters.consumer.requests.length).toBeGreaterThanOrEqual(3);
  });
}

it('deletes no binding of a Connection that a backup has restored', async () => {
  const { consumer } = people();
  await connect({ autoBind: true });
  await eventually(() => consumer.get(resources.clusterBindings, key));
  const backup = clusters.consumer.backup();
  clusters.consumer.refuses = ({ verb }) => verb === 'delete';
  await consumer.delete(resources.connections, key);
  await eventually(() => {
    expect(clusters.consumer.requests).toContain('delete clusterbindings demo');
  });

  clusters.consumer.restore(backup);
  clusters.consumer.refuses = () => false;
  await looksOn();
  expect((await getIfExists(consumer, resources.clusterBindings, key))?.metadata).toMatchObject({ name: 'demo' });

  clusters.consumer.see();
  await consumer.delete(resources.connections, key);
  await eventually(async () => {
    expect(await getIfExists(consumer, resources.clusterBindings, key)).toBeUndefined();
  });
});

it('holds the Secret of a Connection that a backup has restored', async () => {
  const { consumer } = people();
  await connect();
  const backup = clusters.consumer.backup();
  clusters.consumer.requests.length = 0;
  clusters.consumer.refuses = ({ verb, resource }) => verb === 'patch' && resource === 'secrets';
  await consumer.delete(resources.connections, key);
  await eventually(() => {
    expect(clusters.consumer.requests).toContain('patch secrets demo');
  });

  clusters.consumer.restore(backup);
  clusters.consumer.refuses = () => false;
  await looksOn();
  expect((await consumer.get(kubeResources.secrets, secret)).metadata.finalizers).toEqual([finalizers.cleanup]);
});

it('renews the Lease again of a Connection that a backup has restored at its end', async () => {
  const { consumer, provider } = people();
  await connect();
  const leases = (): Promise<readonly KubeObject[]> => listAll(provider, kubeResources.leases, { namespace: 'kbind' });
  await eventually(async () => {
    expect(await leases()).toHaveLength(1);
  });
  const backup = clusters.consumer.backup();
  clusters.consumer.refuses = ({ verb, resource, subresource }) =>
    verb === 'patch' && resource === 'connections' && subresource === '';
  await consumer.delete(resources.connections, key);
  await eventually(async () => {
    expect(await leases()).toEqual([]);
  });

  clusters.consumer.restore(backup);
  clusters.consumer.see();
  clusters.consumer.refuses = () => false;
  await eventually(
    async () => {
      expect(await leases()).toHaveLength(1);
    },
    { timeoutMs: 60_000 },
  );
}, 120_000);

it('keeps a Connection while a binding names it that its cache lacks', async () => {
  const { consumer } = people();
  await connect();
  clusters.consumer.requests.length = 0;
  clusters.consumer.refuses = ({ verb, resource }) => verb === 'patch' && resource === 'secrets';
  await consumer.delete(resources.connections, key);
  await eventually(() => {
    expect(clusters.consumer.requests).toContain('patch secrets demo');
  });

  clusters.consumer.blind();
  const binding = await consumer.create(resources.bindings, {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: 'Binding',
    metadata: { namespace: 'team', ...key },
    spec: { connectionRef: key, apis: [{ name: 'widgets.example.org' }] },
  } as KubeObject);
  clusters.consumer.refuses = () => false;
  await looksOn();
  expect((await connection())?.metadata.finalizers).toEqual([finalizers.cleanup]);
  expect((await consumer.get(kubeResources.secrets, secret)).metadata.finalizers).toEqual([finalizers.cleanup]);

  clusters.consumer.see();
  await eventually(async () => {
    expect((await connection())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', reason: 'DrainingBindings' }),
    );
  });
  await consumer.delete(resources.bindings, binding.metadata);
  await eventually(async () => {
    expect(await connection()).toBeUndefined();
  });
});

it('holds the Secret that another Connection of a restored backup uses', async () => {
  const { consumer } = people();
  await connect();
  const other = { name: 'other' };
  await clusters.connect('other', { kubeconfigSecretRef: secret });
  await eventually(async () => {
    const { status } = await consumer.get<Connection>(resources.connections, other);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
  const endsDemo: LaggingCluster['refuses'] = ({ verb, resource, subresource, name }) =>
    verb === 'patch' && resource === 'connections' && subresource === '' && name === 'demo';
  clusters.consumer.refuses = endsDemo;
  clusters.consumer.requests.length = 0;
  await consumer.delete(resources.connections, key);
  await eventually(() => {
    expect(clusters.consumer.requests).toContain('patch connections demo');
  });
  const backup = clusters.consumer.backup();
  clusters.consumer.refuses = (info) => endsDemo(info) || (info.resource === 'secrets' && info.name === 'demo');
  await consumer.delete(resources.connections, other);
  await consumer.patch(resources.connections, other, { type: 'merge', patch: { metadata: { finalizers: null } } });
  clusters.consumer.requests.length = 0;
  await eventually(() => {
    expect(clusters.consumer.requests).toContain('patch secrets demo');
  });

  clusters.consumer.restore(backup);
  clusters.consumer.refuses = () => false;
  clusters.consumer.requests.length = 0;
  await eventually(async () => {
    const looks = clusters.consumer.requests.filter((made) => made === 'get connections demo').length;
    expect(looks >= 3 || (await connection()) === undefined).toBe(true);
  });
  expect((await consumer.get(kubeResources.secrets, secret)).metadata.finalizers).toEqual([finalizers.cleanup]);
});
