import type { Client } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { createFailures } from '@hawser/controller';
import { expect, it } from '@jest/globals';

import type { PairDecision } from './decision.js';
import { type LoopRole, PairLoop } from './pair-loop.js';
import type { PairTypes } from './role.js';

interface Endless extends PairTypes {
  readonly action: { readonly type: string };
  readonly observed: undefined;
  readonly decision: PairDecision<Endless['action']>;
  readonly result: { readonly wait?: boolean };
  readonly learned: undefined;
}

const problem = { reason: 'Stalled', message: 'no end', actor: 'operator' } as const;

/** A pair that always wants both steps. */
const endless = (taken: string[]): LoopRole<Endless> => ({
  nothingLearned: undefined,
  observe: () => undefined,
  decide: () => ({
    actions: [{ type: 'finalizer' }, { type: 'patch' }],
    verdict: { kind: 'progressing', waitingFor: 'write' },
  }),
  act({ type }) {
    taken.push(type);
    return Promise.resolve({});
  },
  learn: () => undefined,
  readAgain: () => Promise.resolve(undefined),
  isGone: () => false,
  steps: {
    textOf: ({ type }) => type,
    effortOf: () => undefined,
    endpointOf: () => '',
    clientOf: () => ({}) as Client,
    besides: (_, { actions }) => actions[1],
  },
  words: { undone: () => Promise.resolve(problem), stalled: () => problem },
});

it('takes another step while the first is parked, and parks that one if it has no end', async () => {
  const taken: string[] = [];
  const failures = createFailures<Endless['action']>(new FakeClock(), ({ type }) => type);
  for (let times = 0; times < 3; times++)
    failures.failed('a', { type: 'finalizer' }, { atOnce: problem, later: undefined });
  const loop = new PairLoop(endless(taken), { failures });
  const outcomes: string[] = [];
  for (let look = 0; look < 5; look++) outcomes.push((await loop.run('a', false, new AbortController().signal)).kind);
  expect(taken).toEqual(Array<string>(12).fill('patch'));
  expect(outcomes).toEqual(Array<string>(5).fill('parked'));
});
