import { type APIServiceBindingBundle, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createServiceBindingBundle } from './servicebindingbundle.js';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

it('writes the condition of a bundle that an admission takes away ever less often', async () => {
  const { connection, consumer } = sides;
  await consumer.create(resources.apiServiceBindingBundles, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBindingBundle',
    metadata: { name: 'all' },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as APIServiceBindingBundle);
  connection.bundles.join('all');
  const running = await sides.run(createServiceBindingBundle({ connection }));
  let touched = 0;
  const touch = (): Promise<unknown> =>
    consumer.patch(
      resources.apiServiceBindingBundles,
      { name: 'all' },
      { type: 'merge', patch: { metadata: { annotations: { touched: String(touched++) } } } },
    );
  await sides.during(15, touch);
  const writes = await sides.during(20, touch);
  expect(writes.length).toBeGreaterThanOrEqual(3);
  expect(writes.length).toBeLessThanOrEqual(8);
  const undone = running.events.filter(({ event }) => event.reason === 'WritesUndone');
  expect(undone[0]?.regarding).toMatchObject({ kind: 'APIServiceBindingBundle', name: 'all' });
});
