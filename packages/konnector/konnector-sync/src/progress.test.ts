import type { UnstructuredObject } from '@hawser/client';
import { afterEach, expect, it } from '@jest/globals';

import { type Admission, type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

const FINALIZER = 'kubebind.io/syncer';
const key = { namespace: 'team', name: 'one' };
const metadataOf = (body: UnstructuredObject): UnstructuredObject['metadata'] => body.metadata;
const reasons = (): readonly string[] => pair.sync.problems().map(({ reason }) => reason);
const count = (request: string): number => pair.requests.filter((made) => made === request).length;
/** Takes annotations with this prefix off whatever is written on a side. */
const stripping =
  (of: 'consumer' | 'provider', prefix: string): Admission =>
  ({ body }, side) => {
    const { annotations = {}, ...metadata } = metadataOf(body);
    return side !== of
      ? undefined
      : {
          ...body,
          metadata: {
            ...metadata,
            annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => !name.startsWith(prefix))),
          },
        };
  };
const strippingFinalizer: Admission = ({ body }, side) => {
  const { finalizers, ...metadata } = metadataOf(body);
  return side !== 'consumer' || !(finalizers ?? []).includes(FINALIZER)
    ? undefined
    : { ...body, metadata: { ...metadata, finalizers: finalizers?.filter((name) => name !== FINALIZER) ?? [] } };
};
const isRecord = (body: UnstructuredObject): boolean =>
  metadataOf(body).annotations?.['kube-bind.io/provider-uid'] !== undefined;

it('tries a refused note of where the copy is ever less often, and says whose webhook it is', async () => {
  pair = await openEmbeddedPair();
  pair.admission = ({ body }, side) =>
    side === 'consumer' && isRecord(body)
      ? { refused: 422, message: 'admission webhook "labels.example.com" denied the request: no annotations' }
      : undefined;
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  await pair.pass(10_000);
  expect(pair.sync.why('team/one').verdict).toEqual({ kind: 'inStep' });
  expect(reasons()).toEqual(['RejectedOnConsumer']);
  expect(pair.sync.problems()).toMatchObject([
    {
      actor: 'operator',
      message: expect.stringContaining('admission webhook "labels.example.com" denied the request'),
    },
  ]);
  expect(pair.events).toHaveLength(1);
  // The finalizer, and the note: three times at once, then after 1, 2, 4 s.
  expect(count('PATCH consumer one')).toBeLessThanOrEqual(1 + 3 + 4);
  pair.admission = undefined;
  await pair.pass(60_000);
  expect(reasons()).toEqual([]);
  expect((await pair.on('consumer', 'one'))?.metadata.annotations).toHaveProperty(['kube-bind.io/provider-uid']);
  expect(pair.events).toHaveLength(1);
}, 30_000);

it('does not write in vain where an admission takes the finalizer off again, and says what becomes of the object', async () => {
  pair = await openEmbeddedPair();
  pair.admission = strippingFinalizer;
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  await pair.pass(10_000);
  expect(count('PATCH consumer one')).toBeLessThanOrEqual(3 + 4);
  expect(pair.sync.problems()).toMatchObject([
    {
      reason: 'WritesUndone',
      actor: 'operator',
      message: expect.stringMatching(/finalizer "kubebind\.io\/syncer".*admission.*No copy is made/u),
    },
  ]);
  expect(pair.sync.deadLetters()).toHaveLength(1);
  expect(pair.events).toHaveLength(1);
  expect(await pair.on('provider', 'one')).toBeUndefined();
  pair.admission = undefined;
  await pair.pass(60_000);
  expect(await pair.on('provider', 'one')).toBeDefined();
  expect(reasons()).toEqual([]);
}, 30_000);

it('does not write in vain where an admission of the provider takes our notes off a copy that it changes', async () => {
  pair = await openEmbeddedPair();
  const strip = stripping('provider', 'hawser.dev/');
  pair.admission = (write, side) => {
    const body = strip(write, side);
    return body === undefined || 'refused' in body
      ? body
      : { ...body, ...(write.body['spec'] === undefined ? {} : { spec: { size: 'capped' } }) };
  };
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'huge' }));
  await pair.pass(10_000);
  expect(pair.requests.filter((made) => made === 'PATCH provider one').length).toBeLessThanOrEqual(12);
  expect(reasons()).toEqual(['WritesUndone']);
  expect(pair.sync.problems()).toMatchObject([{ actor: 'provider' }]);
}, 30_000);

it('notices a client that undoes what was written some time later, and names it', async () => {
  pair = await openEmbeddedPair();
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  for (let second = 0; second < 60; second++) {
    await pair.pass(500);
    await pair.clients.consumer.patch(
      pair.resource,
      key,
      { type: 'merge', patch: { metadata: { finalizers: null } } },
      { fieldManager: 'tidy-controller' },
    );
    await pair.clients.consumer.patch(
      pair.resource,
      key,
      { type: 'merge', patch: { spec: { touched: second } } },
      { fieldManager: 'tidy-controller' },
    );
    await pair.pass(500);
  }
  expect(pair.sync.problems()).toMatchObject([
    { reason: 'WritesUndone', message: expect.stringContaining('"tidy-controller"') },
  ]);
  expect(pair.events.filter(({ reason }) => reason === 'WritesUndone')).toHaveLength(1);
  expect(count('PATCH consumer one')).toBeLessThanOrEqual(14);
  await pair.pass(600_000);
  expect(reasons()).toEqual([]);
  expect((await pair.on('consumer', 'one'))?.metadata.finalizers).toEqual([FINALIZER]);
}, 60_000);

it('says so where the finalizer is put back on an object that goes', async () => {
  pair = await openEmbeddedPair();
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  await pair.pass(2_000);
  pair.admission = ({ body }, side) => {
    const metadata = metadataOf(body);
    return side === 'consumer' &&
      Object.hasOwn(metadata, 'finalizers') &&
      metadata.finalizers?.includes(FINALIZER) !== true
      ? { ...body, metadata: { ...metadata, finalizers: [FINALIZER] } }
      : undefined;
  };
  await pair.clients.consumer.delete(pair.resource, key);
  await pair.pass(10_000);
  expect(reasons()).toEqual(['WritesUndone']);
  pair.admission = undefined;
  await pair.pass(60_000);
  expect(await pair.on('consumer', 'one')).toBeUndefined();
}, 30_000);
