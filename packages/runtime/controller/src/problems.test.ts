import { expect, it } from '@jest/globals';

import { createProblems } from './problems.js';

it('tells of every problem that is another, and keeps since when there is one with this reason', () => {
  let now = 1_000;
  const changes: number[] = [];
  const problems = createProblems(
    () => now,
    () => {
      changes.push(now);
    },
  );
  expect(problems.set('one', { reason: 'Refused', message: 'a', actor: 'provider' })).toBe(true);
  now = 2_000;
  expect(problems.set('one', { reason: 'Refused', message: 'a', actor: 'provider' })).toBe(false);
  now = 3_000;
  expect(problems.set('one', { reason: 'Refused', message: 'b', actor: 'provider' })).toBe(false);
  expect(problems.get('one')).toEqual({
    object: 'one',
    reason: 'Refused',
    message: 'b',
    actor: 'provider',
    since: 1_000,
  });
  now = 4_000;
  expect(problems.set('one', { reason: 'NoRights', message: 'c', actor: 'operator' })).toBe(true);
  expect(problems.all()).toEqual([expect.objectContaining({ reason: 'NoRights', since: 4_000 })]);
  now = 5_000;
  problems.clear('one');
  problems.clear('one');
  expect([problems.size, problems.get('one')]).toEqual([0, undefined]);
  expect(changes).toEqual([1_000, 3_000, 4_000, 5_000]);
});
