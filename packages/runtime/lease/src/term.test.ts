import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { type Clock, FakeClock } from '@hawser/clock';
import { LeaseError } from './lease-error.js';
import { Term, instant } from './term.js';

describe('a term', () => {
  roughEdge(
    'R1',
    'ends at its deadline, counted from the request that renewed it',
    async () => {
      const clock = new FakeClock();
      const acquiredAt = instant(clock);
      await clock.advance(3000);
      const term = new Term(clock, 10_000, acquiredAt);
      await clock.advance(6999);
      expect(term.signal.aborted).toBe(false);
      term.assertLeading();
      await clock.advance(1);
      expect(term.signal.aborted).toBe(true);
      expect(term.signal.reason).toMatchObject({ code: 'RenewDeadlinePassed' });
      expect(() => {
        term.assertLeading();
      }).toThrow(LeaseError);
      expect(() => {
        term.signal.throwIfAborted();
      }).toThrow(LeaseError);
      expect(clock.pendingTimers).toBe(0);
    },
    'lease-never-expires',
  );

  it('goes on when it is extended, but not once it is too late', async () => {
    const clock = new FakeClock();
    const term = new Term(clock, 10_000, instant(clock));
    await clock.advance(9000);
    term.extend(instant(clock));
    await clock.advance(9999);
    expect(term.ended).toBe(false);
    const sentInTime = instant(clock);
    clock.stall(1);
    term.extend(sentInTime);
    expect(term.ended).toBe(true);
  });

  it('is over for whoever asks first after a stall, although no timer has run yet', () => {
    const clock = new FakeClock();
    const term = new Term(clock, 10_000, instant(clock));
    let hasAborted = false;
    term.signal.addEventListener('abort', () => {
      hasAborted = true;
    });
    clock.stall(10_000);
    expect(hasAborted).toBe(false);
    expect(term.signal.aborted).toBe(true);
    expect(hasAborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends before work that fell due later than a quarter of a second into a stall', async () => {
    const clock = new FakeClock();
    const term = new Term(clock, 10_000, instant(clock));
    const log: string[] = [];
    term.signal.addEventListener('abort', () => log.push('ended'));
    clock.setTimeout(() => log.push('work'), 300);
    clock.stall(60_000);
    await clock.advance(0);
    expect(log).toEqual(['ended', 'work']);
  });

  it('counts the time for which the machine slept, and no jump backwards of the wall clock', () => {
    const clock = new FakeClock();
    let jump = 0;
    const machine: Clock = {
      now: () => clock.now() + jump,
      monotonic: () => clock.monotonic(),
      setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
    };
    const term = new Term(machine, 10_000, instant(machine));
    jump = -3_600_000;
    clock.stall(5000);
    expect(term.ended).toBe(false);
    jump = 5000;
    expect(term.ended).toBe(true);
  });

  it('reaches signals made from it', () => {
    const term = new Term(new FakeClock(), 10_000, instant(new FakeClock()));
    const derived = AbortSignal.any([term.signal]);
    term.end(new LeaseError('Stopped', 'x'));
    term.end(new LeaseError('LeaseLost', 'y'));
    expect(derived.aborted).toBe(true);
    expect(term.reason?.code).toBe('Stopped');
  });
});
