import { done } from '@hawser/controller';
import { expect, it } from '@jest/globals';

import type { Verdict } from './decision.js';
import { type Looked, decideNextLook, graceLeftMs, inStep, isOverdue } from './next-look.js';

const problem = { reason: 'WritesUndone', message: 'It is undone.', actor: 'consumer' } as const;
const after = (afterMs: number): object => ({ kind: 'requeue', afterMs });
const still: Verdict = { kind: 'inStep' };
const waits: Verdict = { kind: 'progressing', waitingFor: 'copyToGo' };

it.each<[string, Verdict, number | undefined, Partial<Looked>, unknown]>([
  ['in step', still, undefined, {}, inStep],
  ['in step, with more than its versions', still, undefined, { hasMore: true }, done],
  ['in step, to be looked at', still, 500, {}, after(500)],
  [
    'in step, with related objects to be looked at',
    still,
    undefined,
    { hasMore: true, relatedAfterMs: 700 },
    after(700),
  ],
  ['waiting for a change', waits, undefined, {}, done],
  ['waiting, whichever comes first', waits, 900, { relatedAfterMs: 700 }, after(700)],
  ['told that it stands', still, undefined, { standing: { problem, forMs: 300 } }, after(300)],
  ['told that it stood until now', still, 900, { standing: { problem, forMs: 0 } }, after(1)],
])('comes back to an object %s', (_, verdict, requeueAfterMs, more, expected) => {
  const decision = { actions: [], verdict, requeueAfterMs };
  const next = decideNextLook({ decision, relatedAfterMs: undefined, standing: undefined, hasMore: false, ...more });
  expect(next).toEqual(expected);
  expect(next === inStep).toBe(expected === inStep);
});

it.each<[number | undefined, boolean, number]>([
  [undefined, false, 0],
  [1_000, false, 60_000],
  [-20_000, false, 39_000],
  [-59_000, true, 0],
  [-70_000, true, 0],
])('waits for what cannot be found since %s: overdue %s, for %s ms more', (since, overdue, left) => {
  expect(isOverdue(since, 1_000)).toBe(overdue);
  expect(graceLeftMs(since, overdue, 1_000)).toBe(left);
});

it('looks once more at what became overdue during a look', () => {
  expect(graceLeftMs(-70_000, false, 1_000)).toBe(1);
});
