import { expect, it } from '@jest/globals';
import { StreamSlots } from './stream-slots.js';

it('leaves room for others, however many one person wants, and has an end for all', () => {
  const slots = new StreamSlots(3, 2);
  const [first, second] = [slots.take('jane'), slots.take('jane')];
  expect([first, second, slots.take('jane')].map((one) => one !== undefined)).toEqual([true, true, false]);
  const bob = slots.take('bob');
  expect([bob !== undefined, slots.take('carl')]).toEqual([true, undefined]);
  first?.();
  expect([slots.take('carl') !== undefined, slots.take('jane')]).toEqual([true, undefined]);
  bob?.();
  expect(slots.take('jane')).toBeDefined();
});
