import { describe, expect, it } from '@jest/globals';
import { described } from './described.js';

const version = (name: string, more: object = {}) => ({ name, served: true, ...more });

describe('what a consumer is told of a version', () => {
  it('is nothing of one that was never exported', () => {
    expect(described('example.com', 'Database', [version('v1')], 'v2')).toBeUndefined();
  });

  it.each([
    ['no warning unless it is deprecated', [version('v1')], undefined],
    ['the warning of the CRD', [version('v1', { deprecated: true, deprecationWarning: 'gone soon' })], 'gone soon'],
    [
      'what to use instead',
      [version('v1', { deprecated: true }), version('v2beta1'), version('v2')],
      'example.com/v1 Database is deprecated; use example.com/v2 Database',
    ],
    [
      'nothing to use instead that is older',
      [version('v1', { deprecated: true }), version('v1beta1')],
      'example.com/v1 Database is deprecated',
    ],
    [
      'nothing to use instead that is not served',
      [version('v1', { deprecated: true }), version('v2', { served: false })],
      'example.com/v1 Database is deprecated',
    ],
  ])('has %s', (_, versions, warning) => {
    expect(described('example.com', 'Database', versions, 'v1')?.warning).toBe(warning);
  });
});
