import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type JsonObject, equal } from '@hawser/json';

import { differenceOf, overlay } from './difference.js';

const json: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(1, 'x', true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
    ),
  })).value as fc.Arbitrary<never>,
  { maxKeys: 4 },
);

describe('difference', () => {
  it('tells what is wrong from what was added', () => {
    expect(differenceOf({ size: 'a', nested: { x: 1 } }, { size: 'b', nested: { x: 1, y: 2 }, more: true })).toEqual({
      wrong: [['size']],
      extra: [['nested', 'y'], ['more']],
    });
  });

  it('takes a list whose elements hold more than was wanted for an addition, and any other for a difference', () => {
    expect(differenceOf({ l: [{ a: 1 }] }, { l: [{ a: 1, b: 2 }] })).toEqual({ wrong: [], extra: [['l']] });
    expect(differenceOf({ l: [{ a: 1 }] }, { l: [{ a: 1 }, { a: 2 }] })).toEqual({ wrong: [['l']], extra: [] });
  });

  it('is empty for equal values only', () => {
    fc.assert(
      fc.property(json, json, (wanted, actual) => {
        const { wrong, extra } = differenceOf(wanted, actual);
        expect(wrong.length + extra.length === 0).toBe(equal(wanted, actual));
      }),
    );
  });
});

describe('overlay', () => {
  it('leaves nothing wrong, and takes nothing from others', () => {
    fc.assert(
      fc.property(json, json, (wanted, actual) => {
        const result = overlay(wanted, actual, []);
        expect(differenceOf(wanted, result).wrong).toEqual([]);
        for (const key of Object.keys(actual))
          if (!Object.hasOwn(wanted, key)) expect(equal(result[key], actual[key])).toBe(true);
      }),
    );
  });

  it('removes every extra when asked to, which makes both equal', () => {
    fc.assert(
      fc.property(json, json, (wanted, actual) => {
        const merged = overlay(wanted, actual, []);
        expect(equal(overlay(wanted, actual, differenceOf(wanted, merged).extra), wanted)).toBe(true);
      }),
    );
  });
});
