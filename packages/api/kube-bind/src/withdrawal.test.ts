import { describe, expect, it } from '@jest/globals';
import { hawserAnnotations } from './metadata.js';
import { isWithdrawn } from './withdrawal.js';

describe('isWithdrawn', () => {
  it.each([
    [undefined, false], [{}, false], [{ [hawserAnnotations.withdrawn]: '' }, false],
    [{ [hawserAnnotations.withdrawn]: 'Unbound' }, true], [{ [hawserAnnotations.withdrawn]: 'RequestDeleted' }, true], [{ [hawserAnnotations.withdrawn]: 'by hand' }, true],
  ])('%p: %p', (annotations, expected) => {
    expect(isWithdrawn({ annotations })).toBe(expected);
  });
});
