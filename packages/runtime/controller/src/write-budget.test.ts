import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WriteBudget } from './write-budget.js';

describe('a budget of writes', () => {
  it('allows a burst, and then one at a time', () => {
    const budget = new WriteBudget({ burst: 3, refillMs: 1_000 });
    for (let i = 0; i < 3; i++) {
      expect(budget.waitMs('a', 0)).toBe(0);
      budget.spend('a', 0);
    }
    expect(budget.waitMs('a', 0)).toBe(1_000);
    expect(budget.waitMs('a', 400)).toBe(600);
    expect(budget.waitMs('a', 1_000)).toBe(0);
    expect(budget.waitMs('other', 0)).toBe(0);
  });

  it('is spent by writes that changed something, and puts off the others', async () => {
    const budget = new WriteBudget({ burst: 2, refillMs: 1_000 });
    let writes = 0;
    const pay = (nowMs: number, changes: boolean): Promise<unknown> =>
      budget.pay('a', nowMs, () => {
        writes++;
        return Promise.resolve(changes);
      });
    for (const changes of [true, false, false, true]) expect(await pay(0, changes)).toBeUndefined();
    expect(await pay(400, true)).toEqual({ kind: 'requeue', afterMs: 600 });
    expect(writes).toBe(4);
    expect(await pay(1_000, true)).toBeUndefined();
  });

  it('is whole again after a rest', () => {
    const budget = new WriteBudget({ burst: 2, refillMs: 1_000 });
    for (let i = 0; i < 2; i++) budget.spend('a', 0);
    budget.spend('a', 60_000);
    expect(budget.waitMs('a', 60_000)).toBe(0);
  });

  it('never allows more than the burst and what came back, whoever asks how often', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.nat({ max: 3_000 }), { maxLength: 300 }),
        (burst, refillMs, steps) => {
          const budget = new WriteBudget({ burst, refillMs });
          let nowMs = 0;
          let writes = 0;
          for (const step of steps) {
            nowMs += step;
            if (budget.waitMs('a', nowMs) > 0) continue;
            budget.spend('a', nowMs);
            writes++;
          }
          expect(writes).toBeLessThanOrEqual(burst + nowMs / refillMs + 1e-6);
        },
      ),
    );
  });
});
