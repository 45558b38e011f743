import { afterEach, expect, it } from '@jest/globals';

import { defaultPolicy } from './binding-policy.js';
import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;
afterEach(() => pair.close());

it('counts as at work, beside other syncs, when all its objects are looked at again', async () => {
  let active = 0;
  pair = await openEmbeddedPair(
    {},
    {
      writers: {
        join: () => ({
          active: () => {
            active++;
          },
          limit: (all) => all,
        }),
      },
    },
  );
  for (const name of ['one', 'two', 'three'])
    await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 1 }));
  await pair.pass(2_000);
  active = 0;
  pair.sync.use({ ...defaultPolicy, pause: { reason: 'maintenance', of: 'binding' } });
  expect(active).toBeGreaterThan(0);
});
