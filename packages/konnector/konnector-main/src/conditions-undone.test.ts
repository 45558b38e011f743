import { type APIServiceBindingBundle, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createKonnectorMain } from './konnector-main.js';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

it('writes conditions of bindings and bundles that an admission takes away ever less often', async () => {
  const { consumer } = sides;
  const startSet = (): never => {
    throw new Error('nothing is connected: there is no Secret');
  };
  await consumer.create(resources.apiServiceBindingBundles, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBindingBundle',
    metadata: { name: 'all' },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as APIServiceBindingBundle);
  await sides.bind('databases');
  const running = await sides.run(createKonnectorMain({ startSet }));
  let touched = 0;
  const touch = async (): Promise<void> => {
    const patch = { metadata: { annotations: { touched: String(touched++) } } };
    await consumer.patch(resources.apiServiceBindings, { name: 'databases' }, { type: 'merge', patch });
    await consumer.patch(resources.apiServiceBindingBundles, { name: 'all' }, { type: 'merge', patch });
  };
  await sides.during(15, touch);
  const writes = await sides.during(20, touch);
  for (const resource of ['apiservicebindings', 'apiservicebindingbundles']) {
    const of = writes.filter((write) => write.endsWith(resource)).length;
    expect(of).toBeGreaterThanOrEqual(3);
    expect(of).toBeLessThanOrEqual(8);
  }
  const undone = running.events
    .filter(({ event }) => event.reason === 'WritesUndone')
    .map(({ regarding }) => regarding.kind);
  expect(undone).toEqual(expect.arrayContaining(['APIServiceBinding', 'APIServiceBindingBundle']));
});
