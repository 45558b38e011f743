import { describe, expect, it } from '@jest/globals';
import { compareVersionPriority } from './version-priority.js';

describe('compareVersionPriority', () => {
  it.each([
    [
      ['v2', 'v1', 'v1beta1', 'v2alpha1', 'v1alpha1'],
      ['v1alpha1', 'v2alpha1', 'v1beta1', 'v1', 'v2'],
    ],
    [
      ['v10', 'v9', 'v1beta10', 'v1beta9'],
      ['v1beta9', 'v1beta10', 'v9', 'v10'],
    ],
    [
      ['v1', 'a', 'b', 'v1alpha', 'V1'],
      ['v1alpha', 'b', 'a', 'V1', 'v1'],
    ],
    [
      ['v1', 'v1'],
      ['v1', 'v1'],
    ],
  ])('%j', (names, sorted) => {
    expect([...names].sort(compareVersionPriority)).toEqual(sorted);
  });
});
