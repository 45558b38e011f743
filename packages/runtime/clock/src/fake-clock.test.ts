import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock.js';

describe('FakeClock', () => {
  it('runs timers at their own times, in order, and equal ones in the order of being set', async () => {
    const clock = new FakeClock(0);
    const log: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const)
      clock.setTimeout(() => log.push(`${name}@${clock.now()}`), ms);
    await clock.advance(20);
    expect(log).toEqual(['a@10', 'b1@20', 'b2@20']);
    expect(clock.pendingTimers).toBe(1);
    expect(clock.dueTimes).toEqual([30]);
    await clock.advance(10);
    expect(log).toHaveLength(4);
    expect(clock.monotonic()).toBe(30);
  });

  it('runs timers that timers set, and lets promises run in between', async () => {
    const clock = new FakeClock(0);
    const log: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await new Promise<void>((resolve) => {
          clock.setTimeout(resolve, 10);
        });
        log.push(clock.now());
      }
    };
    void loop();
    await clock.advance(100);
    expect(log).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(100);
  });

  it('forgets a cancelled timer', async () => {
    const clock = new FakeClock();
    const timer = clock.setTimeout(() => {
      throw new Error('ran');
    }, 5);
    timer.cancel();
    timer.cancel();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10);
  });

  it('runs what fell due during a stall afterwards, late and in order', async () => {
    const clock = new FakeClock(0);
    const log: string[] = [];
    clock.setTimeout(() => log.push(`second@${clock.now()}`), 20);
    clock.setTimeout(() => log.push(`first@${clock.now()}`), 10);
    clock.stall(1000);
    expect(log).toEqual([]);
    await clock.advance(0);
    expect(log).toEqual(['first@1000', 'second@1000']);
  });
});
