import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import fc from 'fast-check';
import { type Delayed, Delays } from './delays.js';

class Item implements Delayed {
  dueAt = 0;
  heapIndex = -1;
  constructor(readonly id: number) {}
}

describe('Delays', () => {
  it('gives each item at its time, in order of time, with one timer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.nat({ max: 15 }), at: fc.option(fc.nat({ max: 1000 })) }), { maxLength: 60 }),
        async (operations) => {
          const clock = new FakeClock(0);
          const fired: { id: number; at: number }[] = [];
          const delays = new Delays<Item>(clock, (item) => fired.push({ id: item.id, at: clock.monotonic() }));
          const items = Array.from({ length: 16 }, (_, id) => new Item(id));
          const model = new Map<number, number>();
          for (const { id, at } of operations) {
            if (at === null) {
              delays.remove(items[id]!);
              model.delete(id);
            } else {
              delays.set(items[id]!, at);
              model.set(id, at);
            }
            expect(clock.pendingTimers).toBe(model.size === 0 ? 0 : 1);
            expect(delays.size).toBe(model.size);
          }
          await clock.advance(1000);
          expect(fired.map(({ at }) => at)).toEqual([...model.values()].sort((a, b) => a - b));
          expect(new Map(fired.map(({ id, at }) => [id, at]))).toEqual(model);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('spreads a flood over several turns', async () => {
    const clock = new FakeClock(0);
    let fired = 0;
    const delays = new Delays<Item>(clock, () => fired++);
    for (let id = 0; id < 10_000; id++) delays.set(new Item(id), 5);
    await clock.advance(5);
    expect(fired).toBe(10_000);
  });
});
