import { defaultPolicy } from '@hawser/konnector-sync';
import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedClaims, openEmbeddedClaims } from './testing/embedded-claims.js';

let claims: EmbeddedClaims;

afterEach(() => claims.close());

const copyOfFirst = {
  labels: { 'kube-bind.io/owner': 'consumer' },
  annotations: {
    'kube-bind.io/consumer-namespace': 'team',
    'kube-bind.io/consumer-uid': 'uid-in-first',
    'hawser.dev/consumer-name': 'one',
    'hawser.dev/consumer-identity': 'first',
  },
  data: { of: 'Zmlyc3Q=' },
};
const onProvider = async (): Promise<unknown> => (await claims.on('provider', 'one'))?.['data'];
const writes = (): readonly string[] => claims.requests.filter((request) => request.includes(' provider'));

it('leaves the copy of another cluster with the same kubeconfig alone, with and without an object of its own, until it is said that it has taken the place of that one', async () => {
  claims = await openEmbeddedClaims('second');
  await claims.secret('provider', 'one', copyOfFirst);
  await claims.pass(120_000);
  expect(claims.sync.problems('b')).toMatchObject([{ reason: 'ClaimedByAnotherCluster', actor: 'operator' }]);
  await claims.secret('consumer', 'one', { data: { of: 'c2Vjb25k' } });
  await claims.pass(5_000);
  await claims.clients.consumer.patch(
    { group: '', version: 'v1', resource: 'secrets' },
    { namespace: 'team', name: 'one' },
    { type: 'merge', patch: { data: { of: 'c2Vjb25kMg==' } } },
  );
  await claims.pass(5_000);
  expect(claims.sync.problems('b')).toMatchObject([
    { reason: 'ClaimedByAnotherCluster', message: expect.stringContaining('former-consumer-identity=first') },
  ]);
  await claims.clients.consumer.delete(
    { group: '', version: 'v1', resource: 'secrets' },
    { namespace: 'team', name: 'one' },
  );
  await claims.pass(120_000);
  expect(await onProvider()).toEqual(copyOfFirst.data);
  expect(writes()).toEqual([]);

  await claims.secret('consumer', 'one', { data: { of: 'c2Vjb25k' } });
  claims.use({ ...defaultPolicy, formerClusters: ['first'] });
  await claims.pass(5_000);
  expect(await onProvider()).toEqual({ of: 'c2Vjb25k' });
  expect((await claims.on('provider', 'one'))?.metadata.annotations).toMatchObject({
    'hawser.dev/consumer-identity': 'second',
  });
  expect(claims.sync.problems('b')).toEqual([]);
}, 60_000);
