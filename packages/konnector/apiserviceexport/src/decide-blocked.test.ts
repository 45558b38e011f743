import { describe, expect, it } from '@jest/globals';
import { type Blocked, decideBlocked, scopeProblemText } from './decide-blocked.js';
import type { SyncPlan } from './plan-syncs.js';

const wrongScope: SyncPlan = {
  kind: 'stop',
  name: 'zones.example.com',
  reason: 'NoPlaceForCopies',
  message: 'No place.',
  actor: 'provider',
};
const unbound: SyncPlan = { kind: 'stop', name: 'databases.example.com', reason: 'NotBound', message: 'Not bound.' };
const foreign: SyncPlan = {
  kind: 'stop',
  name: 'users.example.com',
  reason: 'UnknownIsolation',
  message: 'Unknown.',
  actor: 'provider',
};
const kept: SyncPlan = { kind: 'keep', name: 'caches.example.com', message: 'Unreadable.' };
const problem = {
  resource: 'zones.example.com',
  reason: 'NoPlaceForCopies',
  message: 'No place.',
  actor: 'provider',
} as const;
const blocked = (since: number | undefined): Blocked => ({ problems: [problem], since });

describe('decideBlocked', () => {
  it('has nothing to say of what nobody must act on', () => {
    expect(decideBlocked(undefined, [unbound, kept], 1_000)).toEqual({
      blocked: { problems: [], since: undefined },
      isNews: false,
      misplaced: [],
      retryMs: undefined,
    });
  });

  it('looks again at what has no place', () => {
    expect(decideBlocked(undefined, [unbound, wrongScope], 1_000)).toEqual({
      blocked: blocked(1_000),
      isNews: true,
      misplaced: ['zones.example.com'],
      retryMs: 15_000,
    });
  });

  it('does not look again at what something else tells of', () => {
    expect(decideBlocked(undefined, [foreign], 1_000)).toMatchObject({
      blocked: { since: undefined },
      isNews: true,
      misplaced: [],
      retryMs: undefined,
    });
  });

  it.each([
    ['at first', 1_000, 15_000],
    ['as long again as it has lasted', 21_000, 20_000],
    ['in ten minutes at last', 3_600_000, 600_000],
  ])('looks again %s', (_, nowMs, retryMs) => {
    expect(decideBlocked(blocked(1_000), [wrongScope], nowMs)).toEqual({
      blocked: blocked(1_000),
      isNews: false,
      misplaced: ['zones.example.com'],
      retryMs,
    });
  });

  it('waits as long as it is told at first', () => {
    expect(decideBlocked(undefined, [wrongScope], 1_000, 50).retryMs).toBe(50);
  });

  it('tells that there is a place now, and counts anew when there is none again', () => {
    const now = decideBlocked(blocked(1_000), [], 5_000);
    expect(now).toEqual({
      blocked: { problems: [], since: undefined },
      isNews: true,
      misplaced: [],
      retryMs: undefined,
    });
    expect(decideBlocked(now.blocked, [wrongScope], 9_000).blocked.since).toBe(9_000);
  });

  it('tells what is said otherwise than before', () => {
    expect(
      decideBlocked({ problems: [{ ...problem, message: 'None.' }], since: 1_000 }, [wrongScope], 2_000).isNews,
    ).toBe(true);
  });
});

describe('scopeProblemText', () => {
  it.each([
    ['nothing that was looked at', undefined, undefined],
    ['another problem', { problems: [{ ...problem, reason: 'UnknownIsolation' }], since: undefined }, undefined],
    [
      'two resources',
      { problems: [problem, { ...problem, resource: 'users.example.com' }], since: 1 },
      'zones.example.com: No place. users.example.com: No place.',
    ],
  ])('of %s', (_, known, text) => {
    expect(scopeProblemText(known)).toBe(text);
  });
});
