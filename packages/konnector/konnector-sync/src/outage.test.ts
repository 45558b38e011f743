import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

it('brings what waited for the provider first when it works again, a few at a time', async () => {
  pair = await openEmbeddedPair();
  const names = Array.from({ length: 60 }, (_, number) => `object-${number}`);
  for (const name of names) await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
  await pair.pass(5_000);
  pair.down.add('provider');
  for (const name of names)
    await pair.clients.consumer.patch(
      pair.resource,
      { namespace: 'team', name },
      { type: 'merge', patch: { spec: { size: 'large' } } },
    );
  await pair.pass(180_000);
  pair.requests.length = 0;
  pair.down.delete('provider');
  await pair.pass(10_000);
  const sizes = await Promise.all(names.map(async (name) => (await pair.on('provider', name))?.['spec']));
  expect(sizes.filter((spec) => (spec as { readonly size?: string } | undefined)?.size !== 'large')).toEqual([]);
  expect(pair.requests.filter((request) => request.startsWith('PATCH provider'))).toHaveLength(names.length);
}, 60_000);
