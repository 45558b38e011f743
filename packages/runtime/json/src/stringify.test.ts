import { describe, expect, it } from '@jest/globals';
import { parse } from './parse.js';
import { stringify } from './stringify.js';

describe('stringify', () => {
  it('writes integers of any size as digits', () => {
    expect(stringify({ a: [9223372036854775807n, -1n, 5], b: 'x' })).toBe('{"a":[9223372036854775807,-1,5],"b":"x"}');
    expect(stringify(18446744073709551615n)).toBe('18446744073709551615');
  });

  it('leaves out keys without a value', () => {
    expect(stringify({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(stringify({ a: undefined, b: 1n })).toBe('{"b":1}');
  });

  it('throws on what is not JSON', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, () => 1, cycle]) expect(() => stringify(value)).toThrow(TypeError);
  });

  it.each([9_000, 100_000])('writes what is nested %d levels deep, as it is read', (levels) => {
    for (const leaf of ['1', '9223372036854775807', '"a\\u0000b"', '[]', '{}', '[1,{"b":null,"c":[true,2.5]}]'])
      for (const [open, close] of [
        ['{"a":', '}'],
        ['[', ']'],
        ['[{"a":1,"b":', '}]'],
      ] as const) {
        const text = `${open.repeat(levels)}${leaf}${close.repeat(levels)}`;
        expect(stringify(parse(text)) === text).toBe(true);
      }
  });

  it('leaves out keys without a value, and writes null in a list, however deep they stand', () => {
    let value: unknown = [undefined, { gone: undefined, kept: 1, run: () => 1 }];
    for (let level = 0; level < 20_000; level++) value = { a: value };
    expect(stringify(value) === `${'{"a":'.repeat(20_000)}[null,{"kept":1}]${'}'.repeat(20_000)}`).toBe(true);
  });
});
