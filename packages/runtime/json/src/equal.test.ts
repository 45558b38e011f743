import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { clone, equal, parse } from './index.js';

const proto = (text: string): unknown => parse(`{"__proto__":${text}}`);

describe('equal', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: [2, { c: null }] }, { b: [2, { c: null }], a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: undefined, b: 1 }, { c: undefined, b: 1 }, true],
    [{ a: undefined, b: 1 }, { a: 1, b: 1 }, false],
    [{ a: null }, {}, false],
    [[], {}, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [null, {}, false],
    [0, '0', false],
    [0, false, false],
    [9007199254740993n, 9007199254740993n, true],
    [9007199254740993n, 9007199254740992, false],
    [5n, 5, true],
    [5, 5n, true],
    [1.5, 1n, false],
    [1n, 'a', false],
    [proto('1'), proto('1'), true],
    [proto('1'), proto('2'), false],
    [proto('{}'), {}, false],
    [{}, proto('{}'), false],
    [{ constructor: { a: 1 } }, { constructor: { a: 1 } }, true],
    [{ constructor: 1 }, {}, false],
    [{ valueOf: 'x', toString: 'y' }, { valueOf: 'x', toString: 'y' }, true],
    [{ hasOwnProperty: 1 }, { hasOwnProperty: 1 }, true],
  ])('%# %j and %j: %s', (a, b, expected) => {
    expect(equal(a, b)).toBe(expected);
    expect(equal(b, a)).toBe(expected);
  });

  it('agrees with isDeepStrictEqual on JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 2 }), fc.json({ maxDepth: 2 }), (left, right) => {
        const a = parse(left.replaceAll('-0', '0'));
        const b = parse(right.replaceAll('-0', '0'));
        expect(equal(a, b)).toBe(isDeepStrictEqual(a, b));
        expect(equal(a, parse(left.replaceAll('-0', '0')))).toBe(true);
      }),
    );
  });
});

describe('clone', () => {
  it('is equal and shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(equal(parse(JSON.stringify(value)), value)).toBe(true);
        const copy = clone(value);
        expect(equal(copy, value)).toBe(true);
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
      }),
    );
    const original = Object.freeze({ a: Object.freeze([Object.freeze({ b: 9007199254740993n })]), c: undefined });
    const copy = clone(original);
    expect(copy).toEqual({ a: [{ b: 9007199254740993n }] });
    expect(Object.keys(copy)).toEqual(['a']);
    expect(Object.isFrozen(copy.a[0])).toBe(false);
  });

  it('copies __proto__ as a key', () => {
    const copy = clone(proto('{"x":[1]}')) as object;
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(equal(copy, proto('{"x":[1]}'))).toBe(true);
  });
});
