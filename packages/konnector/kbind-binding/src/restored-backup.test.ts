import { type Client, getIfExists, type KubeObject, type Resource, type UnstructuredObject } from '@hawser/client';
import { annotations, type Binding, finalizers, labels, moveAnnotations, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { createConnectionController } from '@hawser/kbind-connection';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EmbeddedClusters, openEmbeddedClusters } from '../../kbind-connection/src/testing/embedded-clusters.js';
import { type LaggingCluster, openLaggingCluster } from '../../konnector-connection/src/testing/lagging-cluster.js';
import { createBindingController } from './index.js';

const widgets: Resource = { group: 'example.org', version: 'v1', resource: 'widgets' };
const crd = { name: 'widgets.example.org' };
const one = { namespace: 'team', name: 'one' };
const key = { name: 'demo' };

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const offered = crdOf(
  { group: 'example.org', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
  { labels: { [labels.exported]: 'true' }, properties: { spec: open, status: open } },
);

let clusters: EmbeddedClusters<LaggingCluster>;
const people = (): Readonly<Record<'consumer' | 'provider', Client>> => ({
  consumer: clusters.consumer.people,
  provider: clusters.provider.people,
});

beforeEach(async () => {
  clusters = await openEmbeddedClusters(openLaggingCluster);
  const { consumer, provider } = people();
  await provider.create(customResourceDefinitions, offered);
  await clusters.connect('demo');
  const connections = createConnectionController({ open: clusters.open });
  // Bindings stop first.
  await clusters.start(connections);
  await clusters.start(createBindingController({ links: connections.links }));
  await consumer.create(resources.clusterBindings, {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: 'ClusterBinding',
    metadata: key,
    spec: { connectionRef: { name: 'demo' }, apis: [crd] },
  } as KubeObject);
  await eventually(async () => {
    const { status } = await consumer.get<Binding>(resources.clusterBindings, key);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
  await consumer.create(widgets, {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: one,
    spec: { size: 'small' },
  } as KubeObject);
  await eventually(async () => {
    expect(await provider.get(widgets, one)).toMatchObject({ spec: { size: 'small' } });
  });
});
afterEach(() => clusters.close());

const object = (): Promise<UnstructuredObject | undefined> => getIfExists(people().consumer, widgets, one);
const annotate = (policy: string): Promise<unknown> =>
  people().consumer.patch(resources.clusterBindings, key, {
    type: 'merge',
    patch: { metadata: { annotations: { 'hawser.dev/unbind-policy': policy } } },
  });
/** Three more looks of the konnector at the end of the binding. */
async function looksOn(): Promise<void> {
  clusters.consumer.requests.length = 0;
  await eventually(() => {
    expect(clusters.consumer.requests.filter((request) => request === 'list widgets').length).toBeGreaterThanOrEqual(3);
  });
}

it('keeps its finalizer on the objects of a binding that a backup has restored', async () => {
  const { consumer } = people();
  await annotate('Orphan');
  const backup = clusters.consumer.backup();
  clusters.consumer.refuses = ({ verb, resource }) => verb === 'patch' && resource === 'widgets';
  await consumer.delete(resources.clusterBindings, key);
  await looksOn();
  expect(clusters.consumer.requests).toContain('patch widgets one');

  clusters.consumer.restore(backup);
  clusters.consumer.refuses = () => false;
  await looksOn();
  expect((await object())?.metadata.finalizers).toEqual([finalizers.syncer]);

  clusters.consumer.see();
  await consumer.patch(widgets, one, { type: 'merge', patch: { spec: { size: 'large' } } });
  await eventually(async () => {
    expect(await people().provider.get(widgets, one)).toMatchObject({ spec: { size: 'large' } });
  });
});

it('keeps the copies of a binding that a backup has restored', async () => {
  const { consumer, provider } = people();
  // Then the CRD stays, and the copies go alone.
  await consumer.patch(resources.clusterBindings, key, {
    type: 'merge',
    patch: { metadata: { annotations: { [annotations.objectSelector]: '!elsewhere' } } },
  });
  const backup = clusters.consumer.backup();
  const { uid } = (await provider.get(widgets, one)).metadata;
  let tries = 0;
  clusters.provider.refuses = ({ verb, resource }) => {
    const isRefused = verb === 'delete' && resource === 'widgets';
    if (isRefused) tries++;
    return isRefused;
  };
  await consumer.delete(resources.clusterBindings, key);
  await eventually(() => {
    expect(tries).toBeGreaterThan(0);
  });

  clusters.consumer.restore(backup);
  clusters.provider.refuses = () => false;
  clusters.consumer.requests.length = 0;
  await eventually(() => {
    expect(clusters.consumer.requests).toContain('get clusterbindings demo');
  });
  clusters.consumer.see();
  await consumer.patch(widgets, one, { type: 'merge', patch: { spec: { size: 'large' } } });
  await eventually(async () => {
    expect(await provider.get(widgets, one)).toMatchObject({ metadata: { uid }, spec: { size: 'large' } });
  });
});

it('deletes no CRD of a binding whose policy has changed meanwhile', async () => {
  const { consumer } = people();
  clusters.consumer.refuses = ({ verb }) => verb === 'delete';
  await consumer.delete(resources.clusterBindings, key);
  await looksOn();
  expect(clusters.consumer.requests).toContain(`delete customresourcedefinitions ${crd.name}`);

  clusters.consumer.blind();
  await annotate('Orphan');
  clusters.consumer.refuses = () => false;
  await looksOn();
  expect((await object())?.metadata.deletionTimestamp).toBeUndefined();

  clusters.consumer.see();
  await eventually(async () => {
    expect(await getIfExists(consumer, resources.clusterBindings, key)).toBeUndefined();
  });
  expect((await object())?.metadata).toMatchObject({ name: 'one' });
  expect((await object())?.metadata.finalizers).toBeUndefined();
});

/** The object names no Connection, and the CRD comes from one that no binding names any more. */
async function abandonCRD(marks: Readonly<Record<string, string>> = {}): Promise<void> {
  const { consumer } = people();
  const annotate = (notes: Readonly<Record<string, string | null>>) =>
    ({ type: 'merge', patch: { metadata: { annotations: notes } } }) as const;
  await consumer.patch(widgets, one, annotate({ [annotations.servedBy]: null, ...marks }));
  await consumer.patch(customResourceDefinitions, crd, annotate({ [annotations.connection]: 'former' }));
}
const noted = async (): Promise<string | undefined> => (await object())?.metadata.annotations?.[annotations.servedBy];
const crdIsClaimed = (): Promise<void> =>
  eventually(async () => {
    const { metadata } = await people().consumer.get<KubeObject>(customResourceDefinitions, crd);
    expect(metadata.annotations?.[annotations.connection]).toBe('demo');
  });

it('leaves what a person notes while it looks for the copy', async () => {
  let noting: Promise<unknown> | undefined;
  clusters.provider.refuses = ({ verb, resource }) => {
    if (verb === 'get' && resource === 'widgets')
      noting ??= people().consumer.patch(widgets, one, {
        type: 'merge',
        patch: { metadata: { annotations: { [annotations.servedBy]: 'elsewhere' } } },
      });
    return false;
  };
  await abandonCRD();
  await crdIsClaimed();
  await noting;
  expect(noting).toBeDefined();
  expect(await noted()).toBe('elsewhere');
});

it('takes the copy of an unfinished move for none', async () => {
  await abandonCRD({ [moveAnnotations.to]: 'demo' });
  await crdIsClaimed();
  expect(await noted()).toBe('former');
});

it('believes no other cluster that there is no copy', async () => {
  const other = openLaggingCluster('other');
  await other.people.create(customResourceDefinitions, offered);
  clusters.provider.restore(other.backup());
  await other.close();
  clusters.consumer.requests.length = 0;
  await abandonCRD();
  // Each try reads the bindings.
  await eventually(() => {
    const tries = clusters.consumer.requests.filter((request) => request === 'list clusterbindings');
    expect(tries.length).toBeGreaterThanOrEqual(3);
  });
  expect(await noted()).toBeUndefined();
});
