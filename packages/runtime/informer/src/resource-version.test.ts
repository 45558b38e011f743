import { describe, expect, it } from '@jest/globals';
import { compareResourceVersions, isNotNewer, isOlder, newest } from './resource-version.js';

describe('resource versions', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    // Beyond what a double can tell apart.
    ['9007199254740993', '9007199254740992', 1],
    ['18446744073709551614', '18446744073709551615', -1],
  ])('%s against %s', (a, b, sign) => {
    expect(Math.sign(compareResourceVersions(a, b)!)).toBe(sign);
  });

  it.each([
    ['abc', '10'],
    ['10', ''],
    [undefined, '10'],
    ['010', '9'],
    ['-1', '2'],
    ['1e3', '2'],
  ])('%s and %s cannot be compared', (a, b) => {
    expect(compareResourceVersions(a, b)).toBeUndefined();
    expect(isOlder(a, b)).toBe(false);
    expect(isNotNewer(a, b)).toBe(false);
  });

  it('takes equal strings for the same version, whatever they look like', () => {
    expect(compareResourceVersions('a:1', 'a:1')).toBe(0);
  });

  it('gives the newest', () => {
    expect(newest('9', '10')).toBe('10');
    expect(newest('10', '9')).toBe('10');
    expect(newest(undefined, '9')).toBe('9');
    expect(newest('9', undefined)).toBe('9');
    expect(newest('a', 'b')).toBe('a');
  });
});
