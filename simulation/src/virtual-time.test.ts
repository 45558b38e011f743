import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Machine } from './machine.js';
import { ProcessClock } from './process-clock.js';
import { EPOCH, VirtualTime } from './virtual-time.js';

describe('virtual time', () => {
  it('runs timers at their instants, equal ones in the order of being set, and not the cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.integer({ min: 0, max: 50 }), cancelled: fc.boolean() })),
        async (timers) => {
          const time = new VirtualTime();
          const ran: { readonly index: number; readonly at: number }[] = [];
          for (const [index, { ms, cancelled }] of timers.entries()) {
            const handle = time.setTimeout(() => ran.push({ index, at: time.monotonic() }), ms);
            if (cancelled) handle.cancel();
          }
          await time.runUntil(100);
          const expected = timers
            .map(({ ms, cancelled }, index) => ({ index, at: ms, cancelled }))
            .filter(({ cancelled }) => !cancelled)
            .sort((a, b) => a.at - b.at || a.index - b.index);
          expect(ran).toEqual(expected.map(({ index, at }) => ({ index, at })));
          expect(time.now()).toBe(EPOCH + 100);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('lets promises and immediates run before the next timer', async () => {
    const time = new VirtualTime();
    const log: string[] = [];
    time.setTimeout(() => {
      void Promise.resolve().then(() => {
        setImmediate(() => {
          log.push('first, later');
        });
      });
    }, 1);
    time.setTimeout(() => {
      log.push('second');
    }, 1);
    await time.runUntil(1);
    expect(log).toEqual(['first, later', 'second']);
  });

  it('stops as soon as it is enough', async () => {
    const time = new VirtualTime();
    let count = 0;
    const tick = (): void => {
      count++;
      time.setTimeout(tick, 10);
    };
    tick();
    expect(await time.runUntil(1_000, () => count === 5)).toBe(true);
    expect(time.monotonic()).toBe(40);
    expect(await time.runUntil(60, () => false)).toBe(false);
  });
});

describe('the clock of a process', () => {
  it('stands still while its machine is stalled, and then runs everything in order', async () => {
    const time = new VirtualTime();
    const machine = new Machine('m');
    const clock = new ProcessClock(time, machine);
    const log: string[] = [];
    clock.setTimeout(() => log.push(`a@${time.monotonic()}`), 10);
    clock.setTimeout(() => log.push(`b@${time.monotonic()}`), 20);
    const never = clock.setTimeout(() => log.push('never'), 15);
    machine.stalledUntil = 100;
    time.setTimeout(() => {
      never.cancel();
    }, 50);
    await time.runUntil(200);
    expect(log).toEqual(['a@100', 'b@100']);
  });

  it('is wrong by what its machine is, and runs nothing once it is dead', async () => {
    const time = new VirtualTime();
    const machine = new Machine('m');
    const clock = new ProcessClock(time, machine);
    machine.skewMs = -5_000;
    expect(clock.now()).toBe(EPOCH - 5_000);
    expect(clock.monotonic()).toBe(0);
    let ran = false;
    clock.setTimeout(() => {
      ran = true;
    }, 10);
    clock.kill();
    await time.runUntil(100);
    expect(ran).toBe(false);
  });
});
