import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

it('carries what a mutating admission of the consumer changes when the konnector writes to the object', async () => {
  pair = await openEmbeddedPair();
  // As a policy on UPDATE does: the write of the finalizer is the first.
  pair.admission = ({ method, body }, side) =>
    side === 'consumer' && method === 'PATCH' && body['status'] === undefined
      ? { ...body, spec: { cost: 'centre-7' } }
      : undefined;
  for (const name of ['one', 'two', 'three'])
    await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
  await pair.pass(5_000);
  for (const name of ['one', 'two', 'three']) {
    expect((await pair.on('consumer', name))?.['spec']).toEqual({ size: 'small', cost: 'centre-7' });
    expect((await pair.on('provider', name))?.['spec']).toEqual({ size: 'small', cost: 'centre-7' });
  }
  expect(pair.sync.problems()).toEqual([]);
});

it('reads nothing more where an admission changes nothing', async () => {
  pair = await openEmbeddedPair();
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  await pair.pass(5_000);
  expect(await pair.on('provider', 'one')).toBeDefined();
  expect(pair.requests.filter((request) => request.startsWith('GET'))).toEqual([]);
});
