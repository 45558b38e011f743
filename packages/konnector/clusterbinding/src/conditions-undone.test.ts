import { type ClusterBinding, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createClusterBinding } from './clusterbinding.js';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

it('sends its heartbeats, and writes conditions that an admission takes away ever less often', async () => {
  const { connection, provider } = sides;
  const key = { namespace: connection.clusterNamespace, name: 'cluster' };
  await provider.create(resources.clusterBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'ClusterBinding',
    metadata: key,
    spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Databases Inc.' },
  } as ClusterBinding);
  await sides.bind('databases');
  const running = await sides.run(createClusterBinding({ connection, version: 'v0.8.1' }));
  let touched = 0;
  const touch = async (): Promise<void> => {
    const patch = { metadata: { annotations: { touched: String(touched++) } } };
    await provider.patch(resources.clusterBindings, key, { type: 'merge', patch });
    await sides.consumer.patch(resources.apiServiceBindings, { name: 'databases' }, { type: 'merge', patch });
  };
  await sides.during(15, touch);
  const before = sides.clock.now();
  const writes = await sides.during(20, touch);
  const of = (side: string): number => writes.filter((write) => write.startsWith(side)).length;
  // A heartbeat at least each 150 s, and what is undone each 5 min.
  expect(of('provider')).toBeGreaterThanOrEqual(8);
  expect(of('provider')).toBeLessThanOrEqual(16);
  expect(of('consumer')).toBeGreaterThanOrEqual(3);
  expect(of('consumer')).toBeLessThanOrEqual(8);
  const undone = running.events.flatMap(({ event }) => (event.reason === 'WritesUndone' ? [event.message] : []));
  expect(undone).toEqual(
    expect.arrayContaining([expect.stringContaining('this binding'), expect.stringContaining('ClusterBinding')]),
  );
  const { status } = await provider.get<ClusterBinding>(resources.clusterBindings, key);
  expect(Date.parse(status?.lastHeartbeatTime ?? '')).toBeGreaterThan(before + 17 * 60_000);
});
