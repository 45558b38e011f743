import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { equal, parse, stringify } from './index.js';

describe('parse', () => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['1234567890123456', 1234567890123456],
    ['0.1234567890123456', 0.1234567890123456],
    ['12345678901234567.5', 12345678901234567.5],
    ['12345678901234567e2', 12345678901234567e2],
    ['1e400', Infinity],
    ['1.0', 1],
  ])('reads %s exactly', (text, value) => {
    expect(parse(text)).toBe(value);
    expect(parse(`[${text}]`)).toEqual([value]);
    expect(parse(`{"a": ${text} ,"b":{"a":${text}}}`)).toEqual({ a: value, b: { a: value } });
  });

  it('finds a long integer wherever it stands', () => {
    for (let padding = 0; padding < 64; padding++) {
      for (const digits of ['9007199254740993', '9223372036854775807']) {
        const text = `{"${'x'.repeat(padding)}":[1,-${digits},${digits}]}`;
        expect(parse(text)).toEqual({ ['x'.repeat(padding)]: [1, -BigInt(digits), BigInt(digits)] });
      }
    }
  });

  it('leaves digits inside strings alone', () => {
    const value = {
      a: '9007199254740993',
      b: ' 9007199254740993 ',
      c: 'x:9007199254740993,',
      '12345678901234567890': '\\":12345678901234567890,',
    };
    expect(parse(JSON.stringify(value))).toEqual(value);
    expect(parse(`{"big":9007199254740993,"rest":${JSON.stringify(value)}}`)).toEqual({
      big: 9007199254740993n,
      rest: value,
    });
  });

  it('keeps __proto__, constructor and the like as own keys, on both paths', () => {
    for (const number of ['1', '9007199254740993']) {
      const text = `{"__proto__":{"a":${number}},"constructor":{"prototype":1},"toString":"x"}`;
      const value = parse(text) as object;
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(stringify(value)).toBe(text);
    }
  });

  it('takes the last of two equal keys, on both paths', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(parse('{"a":1,"a":9007199254740993}')).toEqual({ a: 9007199254740993n });
    expect(parse('{"a":9007199254740993,"a":1}')).toEqual({ a: 1 });
  });

  it.each(['', '{', '{"a":9007199254740993', '01234567890123456789', '[1,]', 'undefined'])(
    'throws a SyntaxError on %j',
    (text) => {
      expect(() => parse(text)).toThrow(SyntaxError);
    },
  );

  it('agrees with JSON.parse on every document without long integers', () => {
    fc.assert(
      fc.property(
        fc.json().filter((text) => !/[0-9]{16}/u.test(text)),
        (text) => {
          expect(parse(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});

describe('parse and stringify', () => {
  const leaf = fc.oneof(
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
      .map((n) => (n >= -9007199254740991n && n <= 9007199254740991n ? Number(n) : n)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => Number.isSafeInteger(n) || !Number.isInteger(n)),
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[ :,"\\-]?[0-9]{14,20}[ ,}\]"]?$/u),
    fc.boolean(),
    fc.constant(null),
  );
  const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', 'valueOf'));
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('document'), { maxLength: 4 }),
      fc.dictionary(key, tie('document'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it('lose nothing', () => {
    fc.assert(
      fc.property(document, (value) => {
        const text = stringify(value);
        expect(equal(parse(text), value)).toBe(true);
        expect(stringify(parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('lose nothing of an indented text', () => {
    fc.assert(
      fc.property(document, (value) => {
        const text = stringify(value);
        const indented = text.replace(/(?<=^(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*)([[\]{},:])/gu, ' \n\t$1\r\n ');
        expect(equal(parse(indented), parse(text))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
