import { describe, expect, it } from '@jest/globals';
import { labelMatcher, selectorText } from './label-selector.js';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'gold', empty: '' };

  it.each([
    [{}, true],
    [{ matchLabels: { app: 'web', empty: '' } }, true],
    [{ matchLabels: { app: 'db' } }, false],
    [{ matchLabels: { missing: '' } }, false],
    [{ matchLabels: { constructor: 'x' } }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['silver', 'gold'] }] }, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['silver', 'gold'] }] }, false],
    [{ matchExpressions: [{ key: 'missing', operator: 'NotIn', values: ['a'] }] }, true],
    [
      {
        matchExpressions: [
          { key: 'empty', operator: 'Exists' },
          { key: 'missing', operator: 'DoesNotExist' },
        ],
      },
      true,
    ],
    [{ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'Like', values: ['w*'] }] }, false],
  ])('%j', (selector, expected) => {
    expect(labelMatcher(selector)(labels)).toBe(expected);
  });

  it('as text are the same however they are written', () => {
    const expressions = [
      { key: 'k', operator: 'NotIn', values: ['b', 'a'] },
      { key: 'e', operator: 'Exists' },
      { key: 'd', operator: 'DoesNotExist' },
      { key: 'i', operator: 'In', values: ['2', '1'] },
    ];
    const text = '!d,a=1,b=,e,i in (1,2),k notin (a,b)';
    expect(selectorText({ matchLabels: { b: '', a: '1' }, matchExpressions: expressions })).toBe(text);
    expect(selectorText({ matchLabels: { a: '1', b: '' }, matchExpressions: expressions.toReversed() })).toBe(text);
    expect(selectorText({})).toBeUndefined();
  });
});
