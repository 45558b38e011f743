import { FakeClock } from '@hawser/clock';
import { expect, it } from '@jest/globals';
import { ReadPace } from './read-pace.js';

it('lets reads of what changes meanwhile follow each other ever less often, up to 5 min', async () => {
  const clock = new FakeClock();
  const pace = new ReadPace(clock, () => 0);
  const waits: number[] = [];
  for (let times = 0; times < 13; times++) {
    pace.wasRead('c/db', 'a', false);
    waits.push(pace.waitMs('c/db', 'a'));
    await clock.advance(pace.waitMs('c/db', 'a'));
  }
  expect(waits).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
  pace.wasRead('c/db', 'a', false);
  expect([pace.waitMs('c/db', 'b'), pace.waitMs('c/other', 'a')]).toEqual([0, 0]);
  pace.wasRead('c/db', 'a', true);
  expect(pace.waitMs('c/db', 'a')).toBe(0);
  pace.wasRead('c/db', 'a', false);
  expect(pace.waitMs('c/db', 'a')).toBe(0);
});
