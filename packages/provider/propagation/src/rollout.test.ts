import { describe, expect, it } from '@jest/globals';
import { type Member, type Rollout, parseRollout, turnOf } from './rollout.js';

const members = (
  states: readonly Member['state'][],
  labels: (at: number) => Readonly<Record<string, string>> = () => ({}),
): readonly Member[] => states.map((state, at) => ({ key: `consumer-${at}/db`, labels: labels(at), state }));
const rollout = (text: string): Rollout => {
  const found = parseRollout(text);
  if (found === undefined) throw new Error('expected a roll-out');
  return found;
};
const now = (text: string, all: readonly Member[]): readonly string[] =>
  all
    .filter(({ key, state }) => state === 'waiting' && turnOf(rollout(text), all, key).kind === 'now')
    .map(({ key }) => key);
/** Those whose turn it is get the schema, and say so. */
const served = (
  all: readonly Member[],
  keys: readonly string[],
  state: Member['state'] = 'proven',
): readonly Member[] => all.map((member) => (keys.includes(member.key) ? { ...member, state } : member));

describe('a roll-out', () => {
  it.each([[undefined], [''], ['  ']])('is none where %j says nothing', (text) => {
    expect(parseRollout(text)).toBeUndefined();
  });

  it.each<[string, Rollout]>([
    ['10%,50%,100%', { kind: 'shares', percentages: [10, 50, 100] }],
    [' 0.5% , 900% ', { kind: 'shares', percentages: [0.5, 100] }],
    ['tier=canary', { kind: 'selectors', selectors: [[{ key: 'tier', value: 'canary' }]] }],
    [
      'tier==canary, region = eu ; example.com/early',
      {
        kind: 'selectors',
        selectors: [
          [
            { key: 'tier', value: 'canary' },
            { key: 'region', value: 'eu' },
          ],
          [{ key: 'example.com/early', value: undefined }],
        ],
      },
    ],
    ['10%,half', { kind: 'shares', percentages: [10, 50] }],
    ['tier in (canary)', { kind: 'shares', percentages: [10, 50] }],
  ])('%j', (text, expected) => {
    expect(parseRollout(text)).toEqual(expected);
  });

  it('by shares goes on only when those of earlier steps serve the schema', () => {
    const all = members(Array.from({ length: 20 }, () => 'waiting'));
    const first = now('10%,50%,100%', all);
    expect(first).toHaveLength(2);
    expect(now('10%,50%,100%', served(all, first, 'unproven'))).toEqual([]);
    const turns = all
      .filter(({ key }) => !first.includes(key))
      .map(({ key }) => turnOf(rollout('10%,50%,100%'), served(all, first, 'unproven'), key));
    expect(turns.filter(({ kind }) => kind === 'later')).toHaveLength(18);
    expect(turns).toContainEqual({ kind: 'later', step: 2, steps: 3, missing: 2 });
    expect(turns).toContainEqual({ kind: 'later', step: 3, steps: 3, missing: 10 });
    const second = served(all, first);
    const next = now('10%,50%,100%', second);
    expect(next).toHaveLength(8);
    const third = served(second, next);
    expect(now('10%,50%,100%', third)).toHaveLength(10);
    expect(now('10%', third)).toHaveLength(10);
  });

  it('begins with one consumer, however few there are, and reaches everybody although nobody says 100%', () => {
    expect(now('1%', members(['waiting', 'waiting']))).toHaveLength(1);
    expect(now('10%,50%', members(['waiting']))).toHaveLength(1);
    const one = members(['waiting', 'waiting', 'waiting']);
    const first = now('1%', one);
    expect(now('1%', served(one, first))).toHaveLength(2);
  });

  it('stops for everybody as soon as one consumer fails, whatever its step', () => {
    const all = members(['proven', 'failed', 'waiting', 'waiting']);
    for (const { key } of all.filter(({ state }) => state === 'waiting'))
      expect(turnOf(rollout('10%,100%'), all, key)).toEqual({ kind: 'stopped', failed: 1 });
  });

  it('by labels takes those that match first, and the rest last', () => {
    const all = members(['waiting', 'waiting', 'waiting', 'waiting'], (at) =>
      at === 2 ? { tier: 'canary' } : at === 1 ? { tier: 'gold', region: 'eu' } : { tier: 'gold' },
    );
    const text = 'tier=canary; tier=gold,region=eu';
    expect(now(text, all)).toEqual(['consumer-2/db']);
    const second = served(all, ['consumer-2/db']);
    expect(now(text, second)).toEqual(['consumer-1/db']);
    expect(now(text, served(second, ['consumer-1/db']))).toEqual(['consumer-0/db', 'consumer-3/db']);
  });

  it('whose first selector matches nobody begins with the second step', () => {
    expect(now('tier=none', members(['waiting', 'waiting']))).toHaveLength(2);
  });
});
