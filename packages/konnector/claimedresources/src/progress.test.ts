import { resources } from '@hawser/kube-bind';
import { afterEach, expect, it } from '@jest/globals';

import { type Admission, type EmbeddedClaims, openEmbeddedClaims } from './testing/embedded-claims.js';

let claims: EmbeddedClaims;

afterEach(() => claims.close());

const OWNER = 'kube-bind.io/owner';
const count = (request: string): number => claims.requests.filter((made) => made === request).length;
const reasons = (): readonly string[] => claims.sync.problems('b').map(({ reason }) => reason);
const without = (texts: Record<string, string> = {}, goes: (key: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !goes(key)));
/** Takes labels and annotations off whatever the sync writes on a side. */
const stripping =
  (of: 'consumer' | 'provider', goes: (key: string) => boolean): Admission =>
  ({ metadata, ...body }, side) =>
    side === of
      ? {
          ...body,
          metadata: {
            ...metadata,
            labels: without(metadata.labels, goes),
            annotations: without(metadata.annotations, goes),
          },
        }
      : undefined;

it('does not write in vain where an admission takes the mark off the original again, and says so', async () => {
  claims = await openEmbeddedClaims();
  claims.admission = stripping('consumer', (key) => key === OWNER);
  await claims.secret('consumer', 'one');
  await claims.pass(10_000);
  expect(reasons()).toEqual(['WritesUndone']);
  expect(claims.sync.problems('b')).toMatchObject([
    { actor: 'operator', message: expect.stringMatching(/On the consumer.*notes on the original.*admission/u) },
  ]);
  // Three times at once, then after 1, 2, 4 s.
  expect(count('PATCH consumer one')).toBeLessThanOrEqual(3 + 4);
  claims.admission = undefined;
  await claims.pass(60_000);
  expect(reasons()).toEqual([]);
  expect(await claims.on('provider', 'one')).toBeDefined();
}, 30_000);

it('does not write in vain where an admission of the provider changes a copy and takes our notes off it', async () => {
  claims = await openEmbeddedClaims();
  const strip = stripping('provider', (key) => key.startsWith('hawser.dev/'));
  claims.admission = (body, side) => {
    const stripped = strip(body, side);
    return stripped === undefined || body['data'] === undefined ? stripped : { ...stripped, data: { k: 'Y2FwcGVk' } };
  };
  await claims.secret('consumer', 'one');
  await claims.pass(10_000);
  expect(claims.requests.filter((made) => made.endsWith('provider one')).length).toBeLessThanOrEqual(12);
  expect(reasons()).toHaveLength(1);
}, 30_000);

it('notices a client that takes the mark off the original some time later, and goes on saying so while it does', async () => {
  claims = await openEmbeddedClaims();
  await claims.secret('consumer', 'one');
  const seen: string[] = [];
  // Whether an Event on the object tells of it, so that the binding need not repeat it.
  const byEvent = new Set<boolean>();
  for (let second = 0; second < 60; second++) {
    await claims.pass(500);
    for (const { hasEvent } of claims.sync.problems('b')) byEvent.add(hasEvent);
    await claims.clients.consumer.patch(
      resources.secrets,
      { namespace: 'team', name: 'one' },
      { type: 'merge', patch: { metadata: { labels: { [OWNER]: null } } } },
      { fieldManager: 'tidy-controller' },
    );
    await claims.pass(500);
    seen.push(reasons().join());
  }
  expect(count('PATCH consumer one')).toBeLessThanOrEqual(14);
  const first = seen.indexOf('WritesUndone');
  expect(first).toBeGreaterThan(0);
  expect(new Set(seen.slice(first))).toEqual(new Set(['WritesUndone']));
  expect([...byEvent]).toEqual([true]);
  await claims.pass(600_000);
  expect(reasons()).toEqual([]);
  expect((await claims.on('consumer', 'one'))?.metadata.labels).toMatchObject({ [OWNER]: 'consumer' });
}, 60_000);
