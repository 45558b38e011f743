import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

const names = Array.from({ length: 40 }, (_, number) => `object-${number}`);
const missing = async (): Promise<readonly string[]> => {
  const found = await Promise.all(names.map((name) => pair.on('provider', name)));
  return names.filter((_, index) => found[index] === undefined);
};
const tries = (): number => pair.requests.filter((request) => request.startsWith('POST provider')).length;

it('tries what was parked for a right when that right is there, and asks for it once for all objects', async () => {
  pair = await openEmbeddedPair();
  await pair.allow('provider', ['get', 'list', 'watch', 'patch', 'delete']);
  for (const name of names) await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
  await pair.pass(1_200_000);
  expect(pair.sync.problems()).toHaveLength(names.length);
  expect(pair.sync.problems()[0]).toMatchObject({ reason: 'ForbiddenByProvider', actor: 'provider' });
  // The Event says what the condition says: what was refused, what does not work, and which command cures it.
  const [problem] = pair.sync.problems();
  expect(problem?.message).toMatch(
    /^Cannot create databases\.example\.com in namespace "kube-bind-x-team" on the provider: .* The object is not synced until then\. The provider must grant this right: `hawser rbac --roles provider \| kubectl apply -f -`\.$/u,
  );
  expect(pair.events).toContainEqual(
    expect.objectContaining({
      reason: 'ForbiddenByProvider',
      message: expect.stringContaining('`hawser rbac --roles provider | kubectl apply -f -`'),
    }),
  );
  // 1, 2, 4, 8, 16 s, then every 15 to 30 s, whatever the number of objects.
  expect(pair.reviews.length).toBeGreaterThan(0);
  expect(pair.reviews.length).toBeLessThanOrEqual(6 + 1_200 / 15);
  pair.requests.length = 0;
  await pair.allow('provider', ['*']);
  await pair.pass(35_000);
  expect(await missing()).toEqual([]);
  // Some are tried in their own time before it is noticed.
  expect(tries()).toBe(names.length);
  expect(pair.sync.problems()).toEqual([]);
  pair.reviews.length = 0;
  await pair.pass(120_000);
  expect(pair.reviews).toEqual([]);
}, 120_000);

it('asks for nothing where an admission refuses, and leaves that to the back-off', async () => {
  pair = await openEmbeddedPair();
  pair.admission = (_, side) =>
    side === 'provider'
      ? { refused: 403, message: 'admission webhook "labels.example.com" denied the request' }
      : undefined;
  for (const name of names) await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
  await pair.pass(600_000);
  expect(pair.reviews).toEqual([]);
  pair.requests.length = 0;
  await pair.pass(300_000);
  expect(tries()).toBeLessThanOrEqual(2 * names.length);
}, 120_000);
