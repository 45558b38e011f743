import { afterEach, expect, it } from '@jest/globals';

import { type Admission, type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

const names = Array.from({ length: 60 }, (_, number) => `object-${number}`);
const failing =
  (which: (name: string) => boolean): Admission =>
  ({ path }, side) =>
    side === 'provider' && which(path.split('/').at(-1)?.split('?')[0] ?? '')
      ? {
          refused: 500,
          message: 'Internal error occurred: failed calling webhook "sizes.example.com": dial tcp: connection refused',
        }
      : undefined;
const patches = (name?: string): readonly string[] =>
  pair.requests.filter((request) => request.startsWith(`PATCH provider${name === undefined ? '' : ` ${name}`}`));
const change = async (name: string, size: string): Promise<void> => {
  await pair.clients.consumer.patch(
    pair.resource,
    { namespace: 'team', name },
    { type: 'merge', patch: { spec: { size } } },
  );
};
const behind = async (size: string): Promise<readonly string[]> => {
  const sizes = await Promise.all(
    names.map(async (name) => ({
      name,
      spec: (await pair.on('provider', name))?.['spec'] as { readonly size?: string } | undefined,
    })),
  );
  return sizes.filter(({ spec }) => spec?.size !== size).map(({ name }) => name);
};

async function open(): Promise<void> {
  pair = await openEmbeddedPair();
  for (const name of names) await pair.clients.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
  await pair.pass(5_000);
}

it('brings what waited for a webhook of the provider first when it works again, a few at a time', async () => {
  await open();
  pair.admission = failing(() => true);
  for (const name of names) await change(name, 'large');
  await pair.pass(600_000);
  expect(pair.sync.problems().map(({ reason }) => reason)).toEqual(names.map(() => 'KeepsFailing'));
  pair.requests.length = 0;
  // While it lasts, one of them is tried now and then.
  await pair.pass(60_000);
  expect(patches().length).toBeLessThanOrEqual(60);
  pair.admission = undefined;
  pair.requests.length = 0;
  await pair.pass(35_000);
  expect(await behind('large')).toEqual([]);
  expect(patches()).toHaveLength(names.length);
  expect(pair.sync.problems()).toEqual([]);
}, 120_000);

it('does not try an object more often that fails by itself, whatever succeeds beside it', async () => {
  await open();
  pair.admission = failing((name) => name === 'object-7');
  await change('object-7', 'large');
  await pair.pass(300_000);
  pair.requests.length = 0;
  for (let minute = 0; minute < 20; minute++) {
    await change('object-1', `size-${minute}`);
    await pair.pass(30_000);
    await change('object-2', `size-${minute}`);
    await pair.pass(30_000);
  }
  expect(patches('object-1')).toHaveLength(20);
  // Every 240 to 300 s of its own. Because another one has got through: after 2, 4, 8, … s, then every 300 s.
  expect(patches('object-7').length).toBeLessThanOrEqual(14);
  expect(patches('object-7').length).toBeGreaterThan(3);
}, 120_000);
