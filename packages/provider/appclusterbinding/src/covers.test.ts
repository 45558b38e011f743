import { describe, expect, it } from '@jest/globals';
import { covers } from './covers.js';

const limits = (cpu: unknown): object => ({ resources: { limits: { cpu } } });

describe('covers', () => {
  it.each([
    ['the same', { a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }],
    [
      'what the server sets by default',
      { containers: [{ name: 'k', image: 'i', imagePullPolicy: 'Always' }], replicas: 1 },
      { containers: [{ name: 'k', image: 'i' }] },
    ],
    [
      'a container that somebody adds',
      { containers: [{ name: 'sidecar' }, { name: 'k' }] },
      { containers: [{ name: 'k' }] },
    ],
    ['what is empty, and therefore not stored', {}, { a: '', b: [], c: {}, d: null }],
    ['a quantity in other words', limits('1'), limits('1000m')],
    ['a quantity in other units', limits('1Gi'), limits('1024Mi')],
    ['a quantity as a number', limits('2'), limits(2)],
  ])('holds for %s', (_, found, wanted) => {
    expect(covers(found, wanted)).toBe(true);
  });

  it.each([
    ['another value', { a: 1 }, { a: 2 }],
    ['a missing field', {}, { a: 1 }],
    ['a missing container', { containers: [{ name: 'x' }] }, { containers: [{ name: 'k' }] }],
    ['an argument more', { args: ['a', 'b'] }, { args: ['a'] }],
    ['other arguments', { args: ['b'] }, { args: ['a'] }],
    ['another quantity', limits('1'), limits('1001m')],
    ['what is not a quantity', limits('one'), limits('1')],
    ['the same number in other words, where it is not a quantity', { a: '1000m' }, { a: '1' }],
    ['a list in place of an object', { a: [] }, { a: { b: 1 } }],
    ['what comes from a prototype', {}, { toString: 'x' }],
    ['a value that was emptied', { a: 'x' }, { a: '' }],
  ])('does not hold for %s', (_, found, wanted) => {
    expect(covers(found, wanted)).toBe(false);
  });
});
