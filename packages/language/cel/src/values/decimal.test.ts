import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatFixed, scientificParts } from './decimal.js';

describe('numbers in decimal', () => {
  it.each<[number, number, string]>([
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [0.25, 1, '0.2'],
    [1.005, 2, '1.00'],
    [-0.4, 0, '-0'],
    [1e21, 1, '1000000000000000000000.0'],
    [5e-324, 3, '0.000'],
  ])('%d with %i digits is %s', (value, places, text) => {
    expect(formatFixed(value, places)).toBe(text);
  });

  it('are what they are with enough digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { mantissa, exponent } = scientificParts(value, 17);
        expect(Number(`${mantissa}e${exponent}`)).toBe(value);
        expect(Number(formatFixed(value, 340))).toBe(value);
      }),
    );
  });

  it('carry over into another digit', () => {
    expect(scientificParts(9.9999999, 3)).toEqual({ mantissa: '1.000', exponent: 1 });
  });
});
