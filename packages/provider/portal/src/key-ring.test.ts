import { describe, expect, it } from '@jest/globals';
import { type SealingKey, planKeys } from './key-ring.js';

const times = { sealsForMs: 1_000, spreadMs: 100, lifeMs: 500 };
const key = (created: number): SealingKey => ({ id: `of-${created}`, created, bytes: new Uint8Array(32) });
const plan = (
  now: number,
  ...created: readonly number[]
): { keep: number[]; seal: number | undefined; add: boolean } => {
  const { keep, seal, add } = planKeys(created.map(key), now, times);
  return { keep: keep.map((one) => one.created), seal: seal?.created, add };
};

describe('keys', () => {
  it.each<[string, number, readonly number[], { keep: number[]; seal: number | undefined; add: boolean }]>([
    ['there are none yet', 0, [], { keep: [], seal: undefined, add: true }],
    ['the first seals at once', 1, [0], { keep: [0], seal: 0, add: false }],
    ['one that has sealed long enough gets a successor', 1_000, [0], { keep: [0], seal: 0, add: true }],
    [
      'the successor is not used before every replica has read it',
      1_099,
      [0, 1_000],
      { keep: [1_000, 0], seal: 0, add: false },
    ],
    ['then it seals', 1_100, [0, 1_000], { keep: [1_000, 0], seal: 1_000, add: false }],
    [
      'what the one before has sealed is opened as long as it is valid',
      1_599,
      [0, 1_000],
      { keep: [1_000, 0], seal: 1_000, add: false },
    ],
    ['and no longer', 1_600, [0, 1_000], { keep: [1_000], seal: 1_000, add: false }],
    [
      'of two first ones that were made at a time, all replicas take the same',
      1,
      [0, 1],
      { keep: [1, 0], seal: 0, add: false },
    ],
    ['a key from the future seals only if there is no other', 0, [500], { keep: [500], seal: 500, add: false }],
  ])('%s', (_, now, created, expected) => {
    expect(plan(now, ...created)).toEqual(expected);
  });
});
