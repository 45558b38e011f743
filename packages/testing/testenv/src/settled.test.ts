import { describe, expect, it } from '@jest/globals';
import { settled } from './settled.js';

describe('settled', () => {
  it('gives what is there once it was seen often enough that no more come', async () => {
    const growing = [1, 1, 2, 3, 3, 3, 3];
    let looks = 0;
    const read = (): Promise<readonly number[]> =>
      Promise.resolve(Array.from({ length: growing[looks++] ?? 3 }, (_, at) => at));
    expect(await settled(read, { quiet: 3, intervalMs: 1 })).toEqual([0, 1, 2]);
    // Three looks that found no more, and the one that is given.
    expect(looks).toBe(8);
  });
});
