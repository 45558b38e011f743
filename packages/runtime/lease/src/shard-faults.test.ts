import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GroupWorld } from './testing/group-world.js';

const names = ['a', 'b', 'c', 'd'] as const;
const step = fc.record({
  member: fc.constantFrom(...names),
  /** `come` starts it, or ends what is wrong with it. */
  what: fc.constantFrom('come', 'come', 'freeze', 'cut', 'deafen', 'slow', 'mute', 'forbid'),
  seconds: fc.integer({ min: 1, max: 20 }),
});

it('never has two write for one unit, whatever stops, is cut off, hears nothing, may not or is slow, and serves everything in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async (steps) => {
      const world = new GroupWorld();
      await world.begin();
      for (const { member, what, seconds } of steps) {
        const process = world.members.find(({ name }) => name === member);
        if (process === undefined) world.member(member).start();
        else if (what === 'come') process.mend();
        else if (what === 'freeze' && !process.clock.frozen) process.clock.freeze();
        else if (what === 'cut') process.isCut = true;
        else if (what === 'deafen') process.isDeaf = true;
        else if (what === 'slow') process.drainMs = 4000;
        else if (what === 'mute') process.isMute = true;
        else if (what === 'forbid') process.forbids = ({ method }) => method === 'PUT';
        await world.advance(seconds * 1000, 500);
      }
      for (const process of world.members) process.mend();
      await world.advance(40_000, 500);
      const found = { doubles: world.doubles, idle: world.idle };
      const counts = world.members.map(({ count }) => count);
      await world.end();
      expect(found).toEqual({ doubles: [], idle: [] });
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 300_000);
