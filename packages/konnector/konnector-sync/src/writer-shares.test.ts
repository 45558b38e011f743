import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';

import { createWriterShares } from './writer-shares.js';

describe('the writers of several syncs', () => {
  it('are all there for the one that is alone at work, and a third beside others', async () => {
    const clock = new FakeClock();
    const shares = createWriterShares(clock);
    const [one, two, three] = [shares.join(), shares.join(), shares.join()];
    const limits = (): readonly number[] => [one, two, three].map((share) => share.limit(24));
    expect(limits()).toEqual([24, 24, 24]);
    one.active();
    one.active();
    expect(limits()).toEqual([24, 8, 8]);
    await clock.advance(5_000);
    two.active();
    expect(limits()).toEqual([8, 8, 8]);
    await clock.advance(6_000);
    // The first has been quiet for 11 s, the second has not.
    expect(limits()).toEqual([8, 24, 8]);
    one.active();
    await clock.advance(9_999);
    expect(limits()).toEqual([24, 8, 8]);
    await clock.advance(1);
    expect(limits()).toEqual([24, 24, 24]);
  });

  it('are at least one', () => {
    const shares = createWriterShares(new FakeClock());
    const [one, two] = [shares.join(), shares.join()];
    two.active();
    expect([one.limit(1), one.limit(2), one.limit(4)]).toEqual([1, 1, 2]);
  });
});
