import { hawserAnnotations, resources } from '@hawser/kube-bind';
import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedClaims, openEmbeddedClaims } from './testing/embedded-claims.js';

let claims: EmbeddedClaims;

afterEach(() => claims.close());

const names = Array.from({ length: 30 }, (_, number) => `object-${number}`);
const open = async (): Promise<void> => {
  claims = await openEmbeddedClaims();
};
const missing = async (): Promise<readonly string[]> => {
  const found = await Promise.all(names.map((name) => claims.on('provider', name)));
  return names.filter((_, index) => found[index] === undefined);
};
const reasons = (): readonly string[] => [...new Set(claims.sync.problems('b').map(({ reason }) => reason))];
const posts = (): number => claims.requests.filter((request) => request === 'POST provider').length;

it('logs when the next try really comes', async () => {
  await open();
  claims.refusal = ({ method }, side) =>
    side === 'provider' && method === 'POST'
      ? { code: 422, message: 'admission webhook "x" denied the request' }
      : undefined;
  await claims.secret('consumer', 'one');
  await claims.pass(30_000);
  const announced = claims.warnings.flatMap(({ retryInMs }) => (typeof retryInMs === 'number' ? [retryInMs] : []));
  // From the third refusal on it waits for 1, 2, 4 s, …, whatever the queue would do: less a tenth, as the jitter of these tests has it.
  expect(announced.slice(2, 6)).toEqual([900, 1_800, 3_600, 7_200]);
});

it('tries a claimed object again at once when a person asks for it', async () => {
  await open();
  claims.refusal = ({ method }, side) =>
    side === 'provider' && method === 'POST'
      ? { code: 422, message: 'admission webhook "x" denied the request' }
      : undefined;
  await claims.secret('consumer', 'one');
  await claims.pass(600_000);
  claims.refusal = undefined;
  claims.requests.length = 0;
  const annotate = (annotations: Readonly<Record<string, string>>): Promise<unknown> =>
    claims.clients.consumer.patch(
      resources.secrets,
      { namespace: 'team', name: 'one' },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  await annotate({ 'kubectl.kubernetes.io/touched': 'now' });
  await claims.pass(1_000);
  expect(posts()).toBe(0);
  await annotate({ [hawserAnnotations.retryAt]: '2026-01-01T00:00:00Z' });
  await claims.pass(1_000);
  expect((await claims.on('provider', 'one'))?.metadata.annotations).not.toHaveProperty([hawserAnnotations.retryAt]);
  expect(reasons()).toEqual([]);
}, 60_000);

it('brings what waited for the provider first when it works again', async () => {
  await open();
  for (const name of names) await claims.secret('consumer', name);
  await claims.pass(5_000);
  claims.down.add('provider');
  for (const name of names)
    await claims.clients.consumer.patch(
      resources.secrets,
      { namespace: 'team', name },
      { type: 'merge', patch: { data: { k: 'bmV3' } } },
    );
  await claims.pass(180_000);
  claims.requests.length = 0;
  claims.down.delete('provider');
  await claims.pass(10_000);
  const contents = await Promise.all(names.map(async (name) => (await claims.on('provider', name))?.['data']));
  expect(contents.filter((data) => (data as { readonly k?: string } | undefined)?.k !== 'bmV3')).toEqual([]);
  expect(claims.requests.filter((request) => request.startsWith('PATCH provider'))).toHaveLength(names.length);
}, 60_000);

it('brings what waited for a webhook first when it works again', async () => {
  await open();
  claims.refusal = ({ method }, side) =>
    side === 'provider' && method === 'POST'
      ? { code: 500, message: 'failed calling webhook "x": connection refused' }
      : undefined;
  for (const name of names) await claims.secret('consumer', name);
  await claims.pass(600_000);
  expect(reasons()).toEqual(['KeepsFailing']);
  claims.refusal = undefined;
  claims.requests.length = 0;
  await claims.pass(35_000);
  expect(await missing()).toEqual([]);
  expect(posts()).toBe(names.length);
}, 60_000);

it('brings what waited for a right when a question says that it is there, asked once for all', async () => {
  await open();
  claims.refusal = ({ method }, side) =>
    side === 'provider' && (method === 'POST' || method === 'REVIEW')
      ? { code: 403, message: 'User "konnector" cannot do that' }
      : undefined;
  for (const name of names) await claims.secret('consumer', name);
  await claims.pass(600_000);
  expect(reasons()).toEqual(['ForbiddenByProvider']);
  const reviews = claims.requests.filter((request) => request === 'REVIEW provider').length;
  expect(reviews).toBeGreaterThan(10);
  expect(reviews).toBeLessThanOrEqual(6 + 600 / 15);
  claims.refusal = undefined;
  claims.requests.length = 0;
  await claims.pass(35_000);
  expect(await missing()).toEqual([]);
  expect(posts()).toBe(names.length);
}, 60_000);
