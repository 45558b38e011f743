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
  expect(waits).toEqual([
    0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000,
  ]);
});

it('waits no longer because the clock is set', () => {
  const clock = new FakeClock();
  let aheadMs = 3_600_000;
  const failures = open({
    now: () => clock.now() + aheadMs,
    monotonic: () => clock.monotonic(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
  });
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
  for (let times = 0; times < 15; times++)
    expect(failures.failed('one', 'create', { atOnce: undefined, later: undefined })).toEqual({
      attempts: times + 1,
      nextAttempt: undefined,
      problem: undefined,
    });
  failures.succeeded('one', 'patch');
  expect(failures.get('one')).toMatchObject({ attempts: 15, nextAttempt: undefined });
  failures.succeeded('one', 'create');
  expect(failures.get('one')).toBeUndefined();
});

it('tells and parks what should have passed after eight times in a row', () => {
  const failures = open();
  const problems = Array.from(
    { length: 9 },
    () => failures.failed('one', 'create', { atOnce: undefined, later: problem }).problem,
  );
  expect(problems).toEqual([...Array<undefined>(7).fill(undefined), problem, problem]);
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

it('goes on counting a step that is refused every other time, and does not forget it because the object looks well', async () => {
  const clock = new FakeClock();
  const failures = open(clock);
  for (let times = 0; times < 3; times++) {
    failures.failed('one', 'create', lasting);
    failures.failed('one', 'patch', lasting);
    failures.succeeded('one', 'status');
    expect(failures.standing('one', [])).toBeUndefined();
  }
  expect([failures.waits('one', 'create'), failures.waits('one', 'patch')]).toEqual([1_000, 1_000]);
  expect(failures.standing('one', ['patch'])).toEqual({ problem, forMs: 1_000 });
  await clock.advance(602_000);
  expect(failures.get('one')).toBeUndefined();
});

it('forgets what failed for an object that is no more', () => {
  const failures = open();
  for (let times = 0; times < 3; times++) failures.failed('one', 'create', lasting);
  failures.gone('one');
  expect(failures.waits('one', 'create')).toBe(0);
});

it('remembers eight steps of an object at most', () => {
  const failures = open();
  for (let step = 0; step < 100; step++) failures.failed('one', `patch/${step}`, lasting);
  expect(
    Array.from({ length: 100 }, (_, step) => failures.standing('one', [`patch/${step}`])).filter(
      (standing) => standing !== undefined,
    ),
  ).toHaveLength(8);
});

const undone: Problem = { reason: 'WritesUndone', message: 'gone', actor: 'operator' };
const counting = (clock: Clock, random?: () => number): Failures<string> =>
  createFailures(clock, (step) => step, { effortOf: (step) => (step === 'read' ? undefined : step), random });

it('parks a step that is taken and wanted again each time, ever longer, and says so until it stays undone no more', async () => {
  const clock = new FakeClock();
  const failures = counting(clock);
  const waits: number[] = [];
  for (let times = 0; times < 14; times++) {
    failures.succeeded('one', 'mark');
    const attempt = failures.undone('one', 'mark');
    const wait = failures.waits('one', 'mark');
    expect(attempt).toEqual(wait === 0 ? undefined : { attempts: times + 1, problem: undefined });
    if (attempt !== undefined) failures.reportUndone('one', 'mark', undone, true);
    if (attempt !== undefined) expect(failures.undone('one', 'mark')?.problem).toBe(undone);
    waits.push(wait);
    await clock.advance(wait);
  }
  expect(waits).toEqual([
    0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000,
  ]);
  expect(failures.get('one')).toMatchObject({ attempts: 14 });
  // It looks well, and that is not believed yet.
  expect(failures.standing('one', [])).toEqual({ problem: undone, forMs: 330_000 });
  await clock.advance(330_001);
  expect(failures.standing('one', [])).toBeUndefined();
  failures.succeeded('one', 'mark');
  expect(failures.undone('one', 'mark')).toBeUndefined();
});

it('takes neither a read, nor a step that is wanted once in a while, for one without effect', async () => {
  const clock = new FakeClock();
  const failures = counting(clock);
  for (let times = 0; times < 20; times++) {
    failures.succeeded('one', 'read');
    failures.succeeded('one', 'mark');
    expect(failures.undone('one', 'read')).toBeUndefined();
    expect(failures.undone('one', 'mark')).toBeUndefined();
    await clock.advance(31_000);
  }
});

it('spreads what is parked', () => {
  const clock = new FakeClock();
  const failures = counting(clock, () => 0.5);
  for (let times = 0; times < 3; times++) failures.succeeded('one', 'mark');
  for (let times = 0; times < 3; times++) failures.failed('two', 'mark', lasting);
  expect([failures.waits('one', 'mark'), failures.waits('two', 'mark')]).toEqual([900, 900]);
});

it('lets what was undone be done once more when something has changed', () => {
  const failures = counting(new FakeClock());
  for (let times = 0; times < 6; times++) failures.succeeded('one', 'mark');
  failures.retryAll();
  expect(failures.waits('one', 'mark')).toBe(0);
  failures.succeeded('one', 'mark');
  expect(failures.waits('one', 'mark')).toBe(16_000);
});

it('lets one object do again what it waits for, when a person asks for it', () => {
  const failures = counting(new FakeClock());
  for (const key of ['one', 'two']) {
    for (let times = 0; times < 6; times++) failures.succeeded(key, 'mark');
    for (let times = 0; times < 4; times++) failures.failed(key, 'write', lasting);
    failures.stalled(key, 'read', undone);
  }
  failures.retryNow((key) => key === 'one');
  expect(['mark', 'write', 'read'].map((step) => failures.waits('one', step))).toEqual([0, 0, 0]);
  for (const step of ['mark', 'write', 'read']) expect(failures.waits('two', step)).toBeGreaterThan(0);
  expect(failures.failed('one', 'write', lasting).attempts).toBe(5);
});

it('parks a pair whose steps have no end', async () => {
  const clock = new FakeClock();
  const failures = open(clock);
  const waits: number[] = [];
  for (let times = 0; times < 3; times++) {
    for (let step = 0; step < 12; step++) failures.succeeded('one', 'read');
    failures.stalled('one', 'read', undone);
    waits.push(failures.waits('one', 'read'));
    await clock.advance(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000]);
});

it('keeps its memory of steps small, and never loses one that keeps being undone', () => {
  const failures = counting(new FakeClock());
  for (let times = 0; times < 4; times++) failures.succeeded('one', 'mark');
  for (let object = 0; object < 30_000; object++) failures.succeeded(`other-${object}`, 'mark');
  expect(failures.undone('one', 'mark')).toEqual({ attempts: 4, problem: undefined });
});

it('parks an object that goes from step to step ever longer, whichever step was the last', () => {
  const failures = open();
  const waits = Array.from({ length: 5 }, (_, times) => {
    failures.stalled('one', `step ${times}`, problem);
    return failures.waits('one', `step ${times}`);
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});
