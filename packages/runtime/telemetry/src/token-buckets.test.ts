import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { TokenBuckets } from './token-buckets.js';

describe('TokenBuckets', () => {
  it('allows a burst and then what comes back, per key', async () => {
    const clock = new FakeClock();
    const buckets = new TokenBuckets(clock, { burst: 3, refillMs: 1000, maxBuckets: 10 });
    const taken = () => Array.from({ length: 5 }, () => buckets.take('a')).filter(Boolean).length;
    expect(taken()).toBe(3);
    expect(buckets.take('b')).toBe(true);
    await clock.advance(2000);
    expect(taken()).toBe(2);
    await clock.advance(1_000_000);
    expect(taken()).toBe(3);
  });

  it('forgets the bucket that was unused for longest', () => {
    const buckets = new TokenBuckets(new FakeClock(), { burst: 1, refillMs: 1000, maxBuckets: 2 });
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((key) => buckets.take(key))).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});
