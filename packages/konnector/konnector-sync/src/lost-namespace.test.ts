import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(async () => {
  await pair.close();
});

it('a deletion ends after the provider has lost the namespace, and reads the copy no more than every 15 s meanwhile', async () => {
  pair = await openEmbeddedPair();
  const {
    clients: { consumer, provider },
    resource,
  } = pair;
  await consumer.create(resource, pair.object('one', { size: 'small' }));
  await pair.pass(3_000);
  expect((await pair.on('consumer', 'one'))?.metadata.annotations).toHaveProperty(['kube-bind.io/provider-namespace']);
  const at = { namespace: 'kube-bind-x-team', name: 'one' };
  await provider.patch(resource, at, { type: 'merge', patch: { metadata: { finalizers: ['example.com/volume'] } } });
  await pair.pass(1_000);

  pair.loseNamespace();
  await consumer.delete(resource, { namespace: 'team', name: 'one' });
  pair.requests.length = 0;
  await pair.pass(10_000);
  expect((await pair.on('provider', 'one'))?.metadata.deletionTimestamp).toBeDefined();
  expect((await pair.on('consumer', 'one'))?.metadata.finalizers).toEqual(['kubebind.io/syncer']);
  expect(pair.requests.filter((request) => request === 'GET provider one').length).toBeLessThanOrEqual(2);

  await provider.patch(resource, at, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await pair.pass(20_000);
  expect(await pair.on('provider', 'one')).toBeUndefined();
  expect(await pair.on('consumer', 'one')).toBeUndefined();
});
