import { expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';

import type { Action } from './decision.js';
import { createFailures } from './failures.js';
import { consumerObject, copyObject } from './testing/snapshots.js';

const create = (wantedHash: string): Action => ({ type: 'createCopy', object: copyObject(), wantedHash });
const status = (phase: string): Action => ({ type: 'writeStatus', consumer: consumerObject(), copy: { ...copyObject(), status: { phase } } });
const always = (): boolean => true;

it('parks the same step ever longer from the third failure on, up to five minutes', () => {
  const clock = new FakeClock();
  const failures = createFailures(clock);
  const waits = Array.from({ length: 14 }, () => {
    failures.failed('one', create('x'), always);
    return failures.waits('one', create('x'));
  });
  expect(waits).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000]);
});

it.each<[string, Action, Action]>([
  ['content', create('x'), create('y')],
  ['status', status('Ready'), status('Failed')],
  ['step', create('x'), { type: 'proveDeletion' }],
])('tries another %s at once', (_, first, second) => {
  const failures = createFailures(new FakeClock());
  for (let times = 0; times < 5; times++) failures.failed('one', first, always);
  expect(failures.waits('one', first)).toBeGreaterThan(0);
  expect(failures.waits('one', second)).toBe(0);
  expect(failures.waits('two', first)).toBe(0);
});

it('does not park what passes by itself, and forgets what succeeded', () => {
  const failures = createFailures(new FakeClock());
  for (let times = 0; times < 5; times++) failures.failed('one', create('x'), () => false);
  expect(failures.get('one')).toMatchObject({ attempts: 5, nextAttempt: undefined });
  failures.succeeded('one', create('y'));
  expect(failures.get('one')).toBeDefined();
  failures.succeeded('one', create('x'));
  expect(failures.get('one')).toBeUndefined();
});

it('lets all be tried at once, and counts on', () => {
  const failures = createFailures(new FakeClock());
  for (let times = 0; times < 5; times++) failures.failed('one', create('x'), always);
  failures.retryAll();
  expect(failures.waits('one', create('x'))).toBe(0);
  expect(failures.failed('one', create('x'), always).attempts).toBe(6);
});
