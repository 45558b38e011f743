import { describe, expect, it } from '@jest/globals';
import { hawserAnnotations } from './metadata.js';
import { isWithdrawn, withdrawnObjectsPolicyOf } from './withdrawal.js';

describe('isWithdrawn', () => {
  it.each([
    [undefined, false],
    [{}, false],
    [{ [hawserAnnotations.withdrawn]: '' }, false],
    [{ [hawserAnnotations.withdrawn]: 'Unbound' }, true],
    [{ [hawserAnnotations.withdrawn]: 'RequestDeleted' }, true],
    [{ [hawserAnnotations.withdrawn]: 'by hand' }, true],
  ])('%p: %p', (annotations, expected) => {
    expect(isWithdrawn({ annotations })).toBe(expected);
  });
});

describe('withdrawnObjectsPolicyOf', () => {
  it.each([
    [undefined, 'Keep', { policy: 'Keep' }],
    [undefined, 'Delete', { policy: 'Delete' }],
    ['', 'Delete', { policy: 'Delete' }],
    ['Keep', 'Delete', { policy: 'Keep' }],
    ['Delete', 'Keep', { policy: 'Delete' }],
    ['delete', 'Delete', { policy: 'Keep', unknown: 'delete' }],
  ] as const)('%p, and %s for all: %j', (value, provider, expected) => {
    expect(
      withdrawnObjectsPolicyOf(
        { annotations: value === undefined ? {} : { [hawserAnnotations.withdrawnObjects]: value } },
        provider,
      ),
    ).toEqual(expected);
  });
});
