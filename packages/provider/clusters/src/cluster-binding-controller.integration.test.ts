import type { KubeObject } from '@hawser/client';
import {
  type ClusterBinding,
  type ClusterBindingStatus,
  formatTime,
  getCondition,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createClusterBindingHealthController } from './cluster-binding-controller.js';
import { createClusterController } from './cluster-controller.js';
import { rights } from './testing/rights.js';

describeWithControlPlane("the provider's view of its consumers", () => {
  let cluster: ProviderCluster;
  let running: Running;

  beforeAll(async () => {
    cluster = await openProviderCluster(rights);
  });
  afterAll(() => cluster.close());
  afterEach(() => running.stop());

  const start = async (): Promise<void> => {
    running = await cluster.run(
      createClusterController(),
      createClusterBindingHealthController({ dialect: kubeBindDialect }),
    );
  };
  const onboard = async (status: ClusterBindingStatus = {}): Promise<string> => {
    const namespace = uniqueNamespace('kube-bind');
    await cluster.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    const spec = { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' };
    await cluster.client.create(resources.clusterBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: { name: 'cluster', namespace },
      spec,
    } as KubeObject);
    if (Object.keys(status).length > 0) await report(namespace, status);
    return namespace;
  };
  const report = async (namespace: string, status: ClusterBindingStatus): Promise<void> => {
    await cluster.client.patch(
      resources.clusterBindings,
      { namespace, name: 'cluster' },
      { type: 'merge', patch: { status } },
      { subresource: 'status' },
    );
  };
  const heartbeat = (): ClusterBindingStatus => ({
    heartbeatInterval: '5m0s',
    lastHeartbeatTime: formatTime(Date.now()),
  });
  const health = async (namespace: string): Promise<object> => {
    const conditions = (await cluster.read<ClusterBinding>(resources.clusterBindings, { namespace, name: 'cluster' }))
      ?.status?.conditions;
    return {
      healthy: getCondition(conditions, 'Healthy')?.status,
      reason: getCondition(conditions, 'Healthy')?.reason,
      ready: getCondition(conditions, 'Ready')?.status,
    };
  };
  const becomes = (namespace: string, expected: object): Promise<unknown> =>
    eventually(async () => {
      expect(await health(namespace)).toEqual(expected);
    });
  const writesIn = async (namespace: string): Promise<readonly string[]> =>
    (await cluster.settledWrites())
      .filter((write) => write.namespace === namespace)
      .map(({ verb, resource, subresource }) => `${verb} ${resource}/${subresource ?? ''}`);

  it('is one Cluster, made when it is missing, and again when it is deleted', async () => {
    await start();
    await eventually(async () => {
      expect(await cluster.read(resources.clusters, { name: 'default' })).toBeDefined();
    });
    await cluster.client.delete(resources.clusters, { name: 'default' });
    await eventually(async () => {
      expect(await cluster.read(resources.clusters, { name: 'default' })).toBeDefined();
    });
  });

  it('waits for the first heartbeat, and then costs a write for the change and none for the heartbeats after it', async () => {
    const namespace = await onboard();
    await start();
    await becomes(namespace, { healthy: 'False', reason: 'FirstHeartbeatPending', ready: 'False' });
    await report(namespace, heartbeat());
    await becomes(namespace, { healthy: 'True', reason: undefined, ready: 'True' });
    const before = await writesIn(namespace);
    expect(before).toEqual(['patch clusterbindings/status', 'patch clusterbindings/status']);
    for (let beat = 1; beat <= 5; beat++) await report(namespace, { ...heartbeat(), konnectorVersion: `v0.9.${beat}` });
    expect(await writesIn(namespace)).toEqual(before);
  });

  it('notices a konnector that falls silent, without anything else happening, and one that comes back', async () => {
    const past = (ms: number): ClusterBindingStatus => ({
      heartbeatInterval: '5s',
      lastHeartbeatTime: formatTime(Date.now() - ms),
    });
    // Twice the interval of 5 s is up in about two seconds.
    const namespace = await onboard(past(8_000));
    await start();
    await becomes(namespace, { healthy: 'True', reason: undefined, ready: 'True' });
    await becomes(namespace, { healthy: 'False', reason: 'HeartbeatTimeout', ready: 'False' });
    // The Event comes after the write that others can see already.
    await eventually(() => {
      expect(
        running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
      ).toEqual(['HeartbeatTimeout']);
    });
    await report(namespace, heartbeat());
    await becomes(namespace, { healthy: 'True', reason: undefined, ready: 'True' });
  });

  it('keeps the conditions of the konnector, and writes nothing at a restart', async () => {
    const secretValid = {
      type: 'SecretValid',
      status: 'False',
      severity: 'Error',
      reason: 'ProviderSecretInvalid',
      message: 'm',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const;
    const namespace = await onboard({ ...heartbeat(), conditions: [secretValid] });
    await start();
    await becomes(namespace, { healthy: 'True', reason: undefined, ready: 'False' });
    const conditions = (await cluster.read<ClusterBinding>(resources.clusterBindings, { namespace, name: 'cluster' }))
      ?.status?.conditions;
    expect(getCondition(conditions, 'SecretValid')).toEqual(secretValid);
    const before = await writesIn(namespace);
    await running.stop();
    await start();
    expect(await writesIn(namespace)).toEqual(before);
  });

  it('does not answer every write of a consumer that takes the condition away again and again', async () => {
    const namespace = await onboard(heartbeat());
    await start();
    await becomes(namespace, { healthy: 'True', reason: undefined, ready: 'True' });
    const began = Date.now();
    for (let turn = 0; turn < 60; turn++) {
      const seen = (await cluster.writes()).filter((write) => write.namespace === namespace).length;
      await report(namespace, { ...heartbeat(), conditions: [] });
      if (Date.now() - began > 10_000 || seen > 20) break;
    }
    // Ten at once, and one more for each two seconds.
    expect((await writesIn(namespace)).length).toBeLessThanOrEqual(11 + Math.ceil((Date.now() - began) / 2_000));
    await becomes(namespace, { healthy: 'True', reason: undefined, ready: 'True' });
  });
});
