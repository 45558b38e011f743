import { describe, expect, it } from '@jest/globals';
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
});
