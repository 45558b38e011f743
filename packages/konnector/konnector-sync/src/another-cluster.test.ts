import { ApiError } from '@hawser/client';
import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

it('lets go of no object because a copy is not there, as long as it may be another cluster that says so', async () => {
  let isOther = false;
  const confirmProvider = (): Promise<void> =>
    isOther
      ? Promise.reject(
          new ApiError('Unreachable', 'another cluster answers', {
            cluster: 'provider',
            verb: 'get',
            resource: 'namespaces',
          }),
        )
      : Promise.resolve();
  pair = await openEmbeddedPair({}, { confirmProvider });
  const key = { namespace: 'team', name: 'one' };
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  await pair.pass(5_000);
  expect(await pair.on('provider', 'one')).toBeDefined();

  isOther = true;
  pair.down.add('provider');
  await pair.clients.consumer.delete(pair.resource, key);
  await pair.clients.provider.delete(pair.resource, { namespace: 'kube-bind-x-team', name: 'one' });
  pair.down.delete('provider');
  await pair.pass(120_000);
  expect((await pair.on('consumer', 'one'))?.metadata.finalizers).toEqual(['kubebind.io/syncer']);

  isOther = false;
  await pair.pass(400_000);
  expect(await pair.on('consumer', 'one')).toBeUndefined();
  expect(pair.events.map(({ reason }) => reason)).not.toContain('NoProgress');
}, 60_000);
