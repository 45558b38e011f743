import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@hawser/testenv';
import { Storm } from './testing/storm.js';

const STEPS = 60;

describe('whatever users, operators and kcp do, in any order', () => {
  let storm: Storm;

  afterEach(async () => {
    await storm.agent.world.close();
  });

  it.each([1, 2, 3, 4])(
    'every object gets in step or says why, nothing of others is touched, and an end lets everything go: %d',
    async (seed) => {
      storm = await Storm.open(numbersOf(seed));
      for (let step = 0; step < STEPS; step++) {
        await storm.step();
        if (step % 10 === 9) expect(await storm.harmed()).toEqual([]);
      }
      await storm.heal();
      await storm.settled();
      // Tests' own are among them: no object is written for ever.
      expect(storm.agent.patches.length).toBeLessThan(10 * STEPS);
      await storm.endUnread();
      await eventually(
        async () => {
          expect([await storm.held(), await storm.agent.records()]).toEqual([[], []]);
        },
        { timeoutMs: 30_000, intervalMs: 100 },
      );
      expect(await storm.harmed()).toEqual([]);
    },
    180_000,
  );
});

/** The same numbers for the same seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
