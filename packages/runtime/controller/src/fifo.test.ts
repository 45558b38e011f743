import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Fifo, type FifoLinks } from './fifo.js';

class Item implements FifoLinks<Item> {
  previous: Item | undefined;
  next: Item | undefined;
  constructor(readonly id: number) {}
}

describe('Fifo', () => {
  it('gives items in the order in which they came, whatever leaves from the middle', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('push'), fc.constant('shift'), fc.nat({ max: 20 }))), (operations) => {
        const fifo = new Fifo<Item>();
        const model: Item[] = [];
        let id = 0;
        for (const operation of operations) {
          if (operation === 'push') {
            const item = new Item(id++);
            fifo.push(item);
            model.push(item);
          } else if (operation === 'shift') {
            expect(fifo.shift()).toBe(model.shift());
          } else if (typeof operation === 'number' && operation < model.length) {
            fifo.remove(model.splice(operation, 1)[0]!);
          }
        }
        while (model.length > 0) expect(fifo.shift()).toBe(model.shift());
        expect(fifo.shift()).toBeUndefined();
      }),
    );
  });
});
