import { afterEach, expect, it } from '@jest/globals';

import type { DeletionProof } from './observed.js';
import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

it('keeps a copy whose deletion a backup of the consumer has undone, before the cache knows', async () => {
  let proof: DeletionProof = { kind: 'crdTerminating' };
  pair = await openEmbeddedPair({}, { prove: () => Promise.resolve(proof) });
  const { clients, resource, stores } = pair;
  await clients.consumer.create(resource, pair.object('one', { size: 'small' }));
  await pair.pass(5_000);
  const { uid } = (await pair.on('provider', 'one'))?.metadata ?? {};
  const backup = stores.consumer.snapshot();
  await clients.consumer.delete(resource, { namespace: 'team', name: 'one' });
  await pair.pass(1_000);
  expect((await pair.on('consumer', 'one'))?.metadata.deletionTimestamp).toBeDefined();

  stores.consumer.restore({ ...backup, revision: stores.consumer.revision + 1_000_000 });
  proof = { kind: 'byUser' };
  // It is looked at while the cache waits to be filled again.
  await clients.provider.patch(
    resource,
    { namespace: 'kube-bind-x-team', name: 'one' },
    { type: 'merge', patch: { spec: { size: 'tampered' } } },
  );
  await pair.pass(120_000);
  expect((await pair.on('consumer', 'one'))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await pair.on('provider', 'one')).toMatchObject({ metadata: { uid }, spec: { size: 'small' } });
});
