import { describe, expect, it } from '@jest/globals';
import { systemClock } from './clock.js';

const fires = (ms: number): Promise<number> => {
  const start = performance.now();
  return new Promise((resolve) => {
    systemClock.setTimeout(() => {
      resolve(performance.now() - start);
    }, ms);
  });
};

describe('the system clock', () => {
  it('never runs a timer early, fractions of a millisecond included', async () => {
    const waits = await Promise.all(
      Array.from({ length: 50 }, (_, index) => fires(1 + index * 0.37).then((took) => took - (1 + index * 0.37))),
    );
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
  });

  it('does not run a timer that is too long for the platform at once', async () => {
    let fired = false;
    const timer = systemClock.setTimeout(() => {
      fired = true;
    }, 2 ** 40);
    await fires(5);
    expect(fired).toBe(false);
    timer.cancel();
  });

  it('takes no time, or none that makes sense, as at once', async () => {
    await Promise.all([fires(0), fires(-5), fires(Number.NaN)]);
  });

  it('cancels', async () => {
    let fired = false;
    const timer = systemClock.setTimeout(() => {
      fired = true;
    }, 1);
    timer.cancel();
    timer.cancel();
    await fires(10);
    expect(fired).toBe(false);
  });

  it('has a wall and a monotonic time', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
    const first = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
  });
});
