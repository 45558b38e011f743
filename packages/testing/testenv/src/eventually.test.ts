import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { eventually } from './eventually.js';

/** Runs `work` while time passes. */
async function whileTimePasses<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const outcome = work.finally(() => {
    over.abort();
  });
  outcome.catch(() => {
    /* the caller sees it */
  });
  for (let turn = 0; !over.signal.aborted && turn < 10_000; turn++) await clock.advance(10);
  return await outcome;
}

describe('eventually', () => {
  it('returns what the check answers as soon as it holds', async () => {
    const clock = new FakeClock();
    const start = clock.monotonic();
    let checks = 0;
    const answer = await whileTimePasses(
      clock,
      eventually(() => (++checks === 3 ? 'now' : false), { clock, intervalMs: 100 }),
    );
    expect([answer, checks]).toEqual(['now', 3]);
    expect(clock.monotonic() - start).toBeLessThan(300);
  });

  it('takes a check that only asserts', async () => {
    let value = 0;
    await eventually(() => {
      expect(++value).toBe(2);
    });
    expect(value).toBe(2);
  });

  it('gives up after the deadline with the words of the last check', async () => {
    const clock = new FakeClock();
    let checks = 0;
    const waiting = eventually(
      () => {
        throw new Error(`failure ${++checks}`);
      },
      { clock, timeoutMs: 1_000, intervalMs: 100 },
    );
    await expect(whileTimePasses(clock, waiting)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/not after 1000 ms and 11 checks; the last one said: failure 11/u),
      cause: expect.any(Error),
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('says so when the check only answered false', async () => {
    await expect(eventually(() => false, { timeoutMs: 0 })).rejects.toThrow('the condition is false');
  });
});
