import { ApiError, type Client } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { expect, it } from '@jest/globals';

import { missingRight } from './missing-right.js';
import { type Obstacle, createObstacles } from './obstacles.js';

function open() {
  const clock = new FakeClock(0);
  const released: string[][] = [];
  const obstacles = createObstacles({
    clock,
    random: () => 0,
    release: (keys) => {
      released.push([...keys]);
    },
  });
  return { clock, released, obstacles };
}
const endpoint: Obstacle = { id: 'provider/write' };
const asked = (answers: { gone: boolean; times: number }, id = 'right'): Obstacle => ({
  id,
  isGone: () => {
    answers.times++;
    return Promise.resolve(answers.gone);
  },
});

it('releases what waits for an endpoint as soon as one gets past it, the longest-waiting first', () => {
  const { obstacles, released } = open();
  for (const key of ['a', 'b', 'c']) obstacles.met(key, endpoint);
  obstacles.passed('provider/read', 'd');
  expect(released).toEqual([]);
  obstacles.passed('provider/write', 'b');
  expect(released).toEqual([['a', 'c']]);
  obstacles.passed('provider/write', 'd');
  expect(released).toHaveLength(1);
});

it('releases a key that fails through its own fault ever less often, however often others succeed', async () => {
  const { obstacles, released, clock } = open();
  for (let second = 0; second < 3_600; second++) {
    obstacles.met('poison', endpoint);
    obstacles.passed(endpoint.id, `other-${second}`);
    await clock.advance(1_000);
  }
  // After 2, 4, 8, …, then every 300 s.
  expect(released.length).toBeLessThanOrEqual(8 + 3_600 / 300 + 1);
  obstacles.close();
});

it('tries one of several that wait now and then, in turn, and leaves one alone to its own back-off', async () => {
  const { obstacles, released, clock } = open();
  obstacles.met('a', endpoint);
  await clock.advance(600_000);
  expect(released).toEqual([]);
  for (const key of ['b', 'c']) obstacles.met(key, endpoint);
  await clock.advance(30_000);
  expect(released).toEqual([['a']]);
  obstacles.met('a', endpoint);
  await clock.advance(30_000);
  expect(released).toEqual([['a'], ['b']]);
  obstacles.close();
  expect(clock.pendingTimers).toBe(0);
});

it('asks for a right once for all that wait for it, ever less often, and releases them when it is there', async () => {
  const { obstacles, released, clock } = open();
  const answers = { gone: false, times: 0 };
  const keys = Array.from({ length: 500 }, (_, number) => `object-${number}`);
  for (const key of keys) obstacles.met(key, asked(answers));
  await clock.advance(600_000);
  expect(released).toEqual([]);
  // After 1, 2, 4, 8, 16 s, then every 30 s.
  expect(answers.times).toBeLessThanOrEqual(5 + 600 / 30);
  answers.gone = true;
  await clock.advance(30_000);
  expect(released).toEqual([keys]);
  const { times } = answers;
  await clock.advance(600_000);
  expect(answers.times).toBe(times);
});

it('asks for the others at once when one right is there, one after the other', async () => {
  const { obstacles, released, clock } = open();
  const answers = { gone: false, times: 0 };
  for (const key of ['a', 'b', 'c']) obstacles.met(key, asked(answers, key));
  await clock.advance(300_000);
  answers.gone = true;
  await clock.advance(31_000);
  expect(released.flat().sort()).toEqual(['a', 'b', 'c']);
});

it('asks for rights in many namespaces at a bounded rate, and for all of them soon once one is there', async () => {
  const { obstacles, released, clock } = open();
  const answers = { gone: false, times: 0 };
  for (let number = 0; number < 200; number++) obstacles.met(`key-${number}`, asked(answers, `right-${number}`));
  await clock.advance(600_000);
  expect(answers.times).toBeLessThanOrEqual(1_200);
  answers.gone = true;
  await clock.advance(40_000);
  expect(released.flat()).toHaveLength(200);
  obstacles.close();
});

it('does not ask again and again for a right that is there, where something else refuses', async () => {
  const { obstacles, released, clock } = open();
  const answers = { gone: true, times: 0 };
  for (let second = 0; second < 3_600; second++) {
    obstacles.met('one', asked(answers));
    await clock.advance(1_000);
  }
  expect(released.length).toBeLessThanOrEqual(8 + 3_600 / 300 + 1);
  expect(answers.times).toBeLessThanOrEqual(released.length);
  obstacles.close();
});

it('forgets what has left', async () => {
  const { obstacles, released, clock } = open();
  const answers = { gone: true, times: 0 };
  obstacles.met('a', asked(answers));
  obstacles.left('a');
  await clock.advance(60_000);
  expect([released, answers.times, clock.pendingTimers]).toEqual([[], 0, 0]);
});

it('asks for exactly the right that was missing, and for none where an admission or a quota refused', async () => {
  const sent: unknown[] = [];
  const client = {
    create: (_: unknown, object: { readonly spec?: unknown }) => {
      sent.push(object.spec);
      return Promise.resolve({ status: { allowed: true } });
    },
  } as unknown as Client;
  const refusal = (message: string, request = {}): ApiError =>
    new ApiError('Forbidden', message, {
      cluster: 'provider',
      verb: 'update',
      resource: 'databases.example.com/status',
      namespace: 'team',
      name: 'one',
      ...request,
    });
  expect(await missingRight(refusal('cannot update'), client)?.isGone?.()).toBe(true);
  expect(sent).toEqual([
    {
      resourceAttributes: {
        verb: 'update',
        group: 'example.com',
        resource: 'databases',
        subresource: 'status',
        namespace: 'team',
      },
    },
  ]);
  expect(missingRight(refusal('a', { name: 'one' }), client)?.id).toBe(
    missingRight(refusal('b', { name: 'two' }), client)?.id,
  );
  expect(missingRight(refusal('a'), client)?.id).not.toBe(
    missingRight(refusal('a', { namespace: 'other' }), client)?.id,
  );
  for (const message of [
    'admission webhook "x" denied the request',
    'exceeded quota: q',
    'because it is being terminated',
  ])
    expect(missingRight(refusal(message), client)).toBeUndefined();
  expect(missingRight(new ApiError('InternalError', 'x', refusal('').request), client)).toBeUndefined();
});
