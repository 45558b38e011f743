import { type Clock, FakeClock } from '@hawser/clock';
import { expect, it } from '@jest/globals';

import { type Failures, type Meaning, createFailures } from './failures.js';
import type { Problem } from './problem.js';

const problem: Problem = { reason: 'Refused', message: 'no', actor: 'provider' };
const lasting: Meaning = { atOnce: problem, later: undefined };
const open = (clock: Clock = new FakeClock()): Failures<string> => createFailures(clock, (step) => step);

it('parks the same step ever longer from the third failure on, up to five minutes', () => {
  const failures = open();
  const waits = Array.from({ length: 14 }, () => {
    failures.failed('one', 'create', lasting);
    return failures.waits('one', 'create');
  });
  expect(waits).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000]);
});

it('waits no longer because the clock is set', () => {
  const clock = new FakeClock();
  let aheadMs = 3_600_000;
  const failures = open({ now: () => clock.now() + aheadMs, monotonic: () => clock.monotonic(), setTimeout: (callback, ms) => clock.setTimeout(callback, ms) });
  for (let times = 0; times < 3; times++) failures.failed('one', 'create', lasting);
  aheadMs = 0;
  expect(failures.waits('one', 'create')).toBe(1_000);
});

it('tries another step, and the step of another object, at once', () => {
  const failures = open();
  for (let times = 0; times < 5; times++) failures.failed('one', 'create', lasting);
  expect(failures.waits('one', 'create')).toBeGreaterThan(0);
  expect(failures.waits('one', 'patch')).toBe(0);
  expect(failures.waits('two', 'create')).toBe(0);
});

it('neither parks nor tells what passes by itself, and forgets what succeeded', () => {
  const failures = open();
  for (let times = 0; times < 15; times++) expect(failures.failed('one', 'create', { atOnce: undefined, later: undefined })).toEqual({ attempts: times + 1, nextAttempt: undefined, problem: undefined });
  failures.succeeded('one', 'patch');
  expect(failures.get('one')).toMatchObject({ attempts: 15, nextAttempt: undefined });
  failures.succeeded('one', 'create');
  expect(failures.get('one')).toBeUndefined();
});

it('tells and parks what should have passed after eight times in a row', () => {
  const failures = open();
  const told = Array.from({ length: 9 }, () => failures.failed('one', 'create', { atOnce: undefined, later: problem }).problem);
  expect(told).toEqual([...Array<undefined>(7).fill(undefined), problem, problem]);
  expect(failures.waits('one', 'create')).toBeGreaterThan(0);
});

it('lets all be tried at once, and counts on', () => {
  const failures = open();
  for (let times = 0; times < 5; times++) failures.failed('one', 'create', lasting);
  failures.retryAll();
  expect(failures.waits('one', 'create')).toBe(0);
  expect(failures.failed('one', 'create', lasting).attempts).toBe(6);
});

it('forgets what is no more, and nothing else', () => {
  const failures = open();
  for (const key of ['one', 'one#related', 'two']) failures.failed(key, 'create', lasting);
  failures.forget((key) => key.startsWith('one#'));
  expect(['one', 'one#related', 'two'].map((key) => failures.get(key)?.attempts)).toEqual([1, undefined, 1]);
});
