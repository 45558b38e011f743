import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffDelay } from './backoff.js';

describe('backoffDelay', () => {
  it('doubles up to the cap', () => {
    const delays = [1, 2, 3, 4, 5, 1000].map((failures) =>
      backoffDelay({ initialMs: 100, capMs: 1000 }, failures, () => 0),
    );
    expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(backoffDelay({ initialMs: 100, capMs: 1000, factor: 3 }, 2, () => 0)).toBe(300);
    expect(backoffDelay({ initialMs: 100, capMs: 1000 }, 0, () => 0)).toBe(100);
  });

  it('takes the jitter off the top, and stays within its bounds', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 10_000 }),
        fc.nat({ max: 100_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (initialMs, capMs, failures, jitter, random) => {
          const full = backoffDelay({ initialMs, capMs, jitter: 0 }, failures, () => 0.7);
          const delay = backoffDelay({ initialMs, capMs, jitter }, failures, () => random);
          expect(delay).toBeLessThanOrEqual(Math.min(full, capMs));
          expect(delay).toBeGreaterThanOrEqual(full * (1 - jitter) - 1e-9);
        },
      ),
    );
  });
});
