import { hawserAnnotations } from '@hawser/kube-bind';
import { afterEach, expect, it } from '@jest/globals';

import { defaultPolicy, readBindingPolicy } from './binding-policy.js';
import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

const annotate = (name: string, annotations: Readonly<Record<string, string>>): Promise<unknown> =>
  pair.clients.consumer.patch(
    pair.resource,
    { namespace: 'team', name },
    { type: 'merge', patch: { metadata: { annotations } } },
  );
const tries = (): number => pair.requests.filter((request) => request.startsWith('POST provider')).length;

/** Two objects that the provider has refused until they wait for minutes; it would take them now. */
async function parked(): Promise<void> {
  pair = await openEmbeddedPair();
  pair.admission = (_, side) =>
    side === 'provider'
      ? { refused: 422, message: 'admission webhook "sizes.example.com" denied the request: sold out' }
      : undefined;
  for (const name of ['one', 'two'])
    await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
  await pair.pass(600_000);
  pair.admission = undefined;
  pair.requests.length = 0;
  // Whatever else happens to the object, it waits.
  await annotate('one', { 'kubectl.kubernetes.io/touched': 'now' });
  await pair.pass(1_000);
  expect(tries()).toBe(0);
}

it('tries one object again at once when a person asks for it, and no other', async () => {
  await parked();
  await annotate('one', { [hawserAnnotations.retryAt]: '2026-01-01T00:00:00Z' });
  await pair.pass(1_000);
  expect(pair.sync.problems().map(({ object }) => object)).toEqual(['team/two']);
  expect((await pair.on('provider', 'one'))?.metadata.annotations).not.toHaveProperty([hawserAnnotations.retryAt]);
  expect(await pair.on('provider', 'two')).toBeUndefined();
}, 60_000);

it('tries once for each value, so that what is refused again waits as before', async () => {
  await parked();
  pair.admission = (_, side) => (side === 'provider' ? { refused: 422, message: 'denied' } : undefined);
  await annotate('one', { [hawserAnnotations.retryAt]: '2026-01-01T00:00:00Z' });
  await pair.pass(1_000);
  expect(tries()).toBe(1);
  await annotate('one', {
    'kubectl.kubernetes.io/touched': 'again',
    [hawserAnnotations.retryAt]: '2026-01-01T00:00:00Z',
  });
  await pair.pass(1_000);
  expect(tries()).toBe(1);
  await annotate('one', { [hawserAnnotations.retryAt]: '2026-01-01T00:01:00Z' });
  await pair.pass(1_000);
  expect(tries()).toBe(2);
}, 60_000);

it('tries all objects of a binding again when its operator asks for it', async () => {
  await parked();
  const { policy } = readBindingPolicy({
    binding: { annotations: { [hawserAnnotations.retryAt]: '2026-01-01T00:00:00Z' } },
  });
  expect(policy).toEqual({ ...defaultPolicy, retryAt: '2026-01-01T00:00:00Z' });
  pair.sync.use(policy);
  await pair.pass(1_000);
  expect(pair.sync.problems()).toEqual([]);
  expect(tries()).toBe(2);
  pair.sync.use(policy);
  await pair.pass(1_000);
  expect(tries()).toBe(2);
}, 60_000);
