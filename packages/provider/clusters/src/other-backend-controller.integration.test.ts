import type { KubeObject } from '@hawser/client';
import { type Cluster, getCondition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createClusterController } from './cluster-controller.js';
import { createOtherBackendController } from './other-backend-controller.js';
import { rights } from './testing/rights.js';

describeWithControlPlane('createOtherBackendController', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let namespace: string;

  beforeAll(async () => {
    cluster = await openProviderCluster(rights);
    namespace = uniqueNamespace('kube-bind');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });
  afterAll(() => cluster.close());
  afterEach(() => running.stop());

  const start = async (quietMs?: number): Promise<void> => {
    running = await cluster.run(createClusterController(), createOtherBackendController({ quietMs }));
  };
  const make = (name: string, fieldManager: string): Promise<KubeObject> =>
    cluster.client.create(
      resources.apiServiceNamespaces,
      {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceNamespace',
        metadata: { name, namespace, labels: { 'kube-bind.io/owner': 'provider' } },
      },
      { fieldManager },
    );
  const health = async (): Promise<string | undefined> => {
    const condition = getCondition(
      (await cluster.read<Cluster>(resources.clusters, { name: 'default' }))?.status?.conditions,
      'Healthy',
    );
    return condition?.reason ?? condition?.status;
  };
  const reasons = (): readonly string[] =>
    running.events.map(({ regarding, event }) => `${regarding.kind} ${event.reason}`);

  it('says nothing of what a Go backend left behind, nor of what others write', async () => {
    await make('left-behind', 'backend');
    await start();
    await make('of-a-konnector', 'konnector');
    await cluster.client.patch(
      resources.apiServiceNamespaces,
      { namespace, name: 'left-behind' },
      { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
      { fieldManager: 'konnector' },
    );
    await cluster.settledWrites();
    expect(await health()).toBeUndefined();
    expect(reasons()).toEqual([]);
  });

  it('tells of one that writes, once, and that it is gone', async () => {
    await start(3_000);
    for (const name of ['one', 'two', 'three']) await make(name, 'backend');
    await eventually(async () => {
      expect(await health()).toBe('OtherBackendWrites');
    });
    expect(reasons()).toEqual(['Cluster OtherBackendWrites']);
    await eventually(async () => {
      expect(await health()).toBe('True');
    });
  });

  it('tells of one that writes into a status, or again, and still says so after a restart', async () => {
    await start();
    await cluster.client.patch(
      resources.apiServiceNamespaces,
      { namespace, name: 'one' },
      { type: 'merge', patch: { status: { namespace: 'x' } } },
      { subresource: 'status', fieldManager: 'backend' },
    );
    await eventually(async () => {
      expect(await health()).toBe('OtherBackendWrites');
    });
    await running.stop();
    const before = (await cluster.settledWrites()).length;
    await start();
    expect((await cluster.settledWrites()).length).toBe(before);
    expect(await health()).toBe('OtherBackendWrites');
  });
});
