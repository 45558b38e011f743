import { type Resource, type UnstructuredObject, getIfExists } from '@hawser/client';
import { pairDialect } from '@hawser/core-kbind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { createIdentityNamespaces } from './identity-namespaces.js';
import type { Sync } from './sync.js';
import { type PairOfClusters, openPair } from './testing/pair-of-clusters.js';

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const CLUSTER = 'consumer-cluster';

describeWithControlPlane('objects in core.kbind.io', () => {
  let pair: PairOfClusters;

  beforeEach(async () => {
    pair = await openPair();
  });
  afterEach(() => pair.close());

  const start = (): Promise<Sync> =>
    pair.startSync(
      { dialect: pairDialect, isolation: 'Identity', consumerCluster: CLUSTER, clusterNamespace: '' },
      {
        informerScope: 'Cluster',
        namespaces: createIdentityNamespaces({
          client: pair.provider,
          labels: { 'core.kbind.io/managed': 'true', 'core.kbind.io/consumer-cluster-uid': CLUSTER },
          now: () => performance.now(),
        }),
      },
    );
  const copyOf = (name: string): Promise<UnstructuredObject | undefined> =>
    getIfExists(pair.provider, pair.resource, { namespace: pair.namespace, name });

  it('spec goes up into the namespace of the same name, which is made, status comes down, and a deletion ends on both sides', async () => {
    await start();
    await pair.consumer.create(pair.resource, pair.object('one', { size: 'small' }, { labels: { app: 'shop' } }));
    const copy = await eventually(async () => {
      const found = await copyOf('one');
      expect(found).toMatchObject({ spec: { size: 'small' } });
      return found;
    });
    const { metadata } = await pair.consumer.get(pair.resource, { namespace: pair.namespace, name: 'one' });
    expect(metadata.finalizers).toEqual(['core.kbind.io/syncer']);
    expect(copy).toMatchObject({
      metadata: {
        labels: { 'core.kbind.io/managed': 'true' },
        annotations: {
          'core.kbind.io/consumer-cluster-uid': CLUSTER,
          'core.kbind.io/consumer-object-uid': metadata.uid,
        },
      },
    });
    expect(copy?.metadata.labels).not.toHaveProperty('app');
    expect((await pair.provider.get(NAMESPACES, { name: pair.namespace })).metadata.labels).toMatchObject({
      'core.kbind.io/managed': 'true',
      'core.kbind.io/consumer-cluster-uid': CLUSTER,
    });

    await pair.provider.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      { type: 'merge', patch: { status: { phase: 'Running' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toMatchObject({ status: { phase: 'Running' } });
    });

    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toBeUndefined();
    });
    expect(await copyOf('one')).toBeUndefined();
  });

  it('a foreign object is told and left alone, and its end ends the conflict at once', async () => {
    const sync = await start();
    await pair.provider.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: pair.namespace } });
    await pair.provider.create(pair.resource, pair.object('one', { size: 'foreign' }));
    await pair.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
    await eventually(async () => {
      expect((await pair.onConsumer('one'))?.metadata.annotations).toMatchObject({
        'core.kbind.io/conflict': 'ForeignObjectExists',
      });
    });
    await eventually(() => {
      expect(sync.problems()).toMatchObject([{ reason: 'ForeignObjectExists' }]);
    });
    expect(pair.events.map(({ event }) => event.reason)).toEqual(['ForeignObjectExists']);
    expect(await copyOf('one')).toMatchObject({ spec: { size: 'foreign' } });

    await pair.provider.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    await eventually(async () => {
      expect(await copyOf('one')).toMatchObject({ spec: { size: 'small' } });
      expect((await pair.onConsumer('one'))?.metadata.annotations ?? {}).not.toHaveProperty('core.kbind.io/conflict');
    });
    expect(sync.problems()).toEqual([]);
  });

  it('what a Go konnector has left is taken over without a write, and a deleted object takes it along', async () => {
    await pair.provider.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: pair.namespace } });
    const made = await pair.consumer.create(
      pair.resource,
      pair.object('one', { size: 'small' }, { finalizers: ['core.kbind.io/syncer'] }),
    );
    // Server-side apply, as the Go konnector writes.
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      {
        type: 'apply',
        object: {
          ...pair.object('one', { size: 'small' }),
          metadata: {
            name: 'one',
            namespace: pair.namespace,
            labels: { 'core.kbind.io/managed': 'true' },
            annotations: {
              'core.kbind.io/consumer-cluster-uid': CLUSTER,
              'core.kbind.io/consumer-object-uid': made.metadata.uid ?? '',
            },
          },
        },
        force: true,
      },
      { fieldManager: 'kbind-konnector' },
    );
    const before = await pair.mark();
    const sync = await start();
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    expect(sync.why(`${pair.namespace}/one`).verdict).toEqual({ kind: 'inStep' });
    expect(await pair.writesSince(before)).toEqual([]);

    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toBeUndefined();
    });
    expect(await copyOf('one')).toBeUndefined();
  });
});
