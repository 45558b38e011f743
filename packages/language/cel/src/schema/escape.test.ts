import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escape, unescape } from './escape.js';

describe('names of properties within expressions', () => {
  it.each([
    ['plain', 'plain'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['namespace', '__namespace__'],
    ['in', '__in__'],
    ['_', '_'],
  ])('%s is %s', (property, name) => {
    expect([escape(property), unescape(name)]).toEqual([name, property]);
  });

  it.each(['', '1a', 'a b', 'ä', 'a:b'])('%j has none', (property) => {
    expect(escape(property)).toBeUndefined();
  });

  it.each(['__nothing__', 'a__in__', '__in__b'])('no property is called %s', (name) => {
    expect(unescape(name)).toBeUndefined();
  });

  it('lead back to the property', () => {
    const property = fc.stringMatching(/^[A-Za-z.\-/][A-Za-z0-9.\-/]*$/);
    fc.assert(
      fc.property(property, (text) => {
        expect(unescape(escape(text) ?? '')).toBe(text);
      }),
    );
  });
});
