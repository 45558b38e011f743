import { resources } from '@hawser/kube-bind';
import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedClaims, openEmbeddedClaims } from './testing/embedded-claims.js';

let claims: EmbeddedClaims;

afterEach(() => claims.close());

it('makes the export an owner of the APIServiceNamespace again where that was made anew after the copies', async () => {
  claims = await openEmbeddedClaims();
  await claims.secret('consumer', 'one');
  await claims.pass(5_000);
  expect(await claims.on('provider', 'one')).toBeDefined();
  // Another export has made it anew: with the end of that one, the namespace would go with the copies.
  claims.requests.length = 0;
  claims.unshared = true;
  await claims.clients.provider.patch(
    resources.secrets,
    { namespace: 'kube-bind-x-team', name: 'one' },
    { type: 'merge', patch: { metadata: { annotations: { touched: 'yes' } } } },
  );
  await claims.pass(5_000);
  expect(claims.requests).toEqual(['SHARE provider']);
  expect(claims.sync.problems('b')).toEqual([]);
}, 30_000);
