import type { KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import { isSelectedBy, objectSelector, selectorsMeet } from './object-selector.js';

function binding(selector: string | undefined): KubeObject {
  return {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: 'Binding',
    metadata: {
      name: 'demo',
      ...(selector === undefined ? {} : { annotations: { 'hawser.dev/object-selector': selector } }),
    },
  };
}

describe('the selector of a binding', () => {
  it.each([
    ['selects all objects where there is none', undefined, {}, true],
    ['selects by labels', 'tier=gold', { tier: 'gold' }, true],
    ['leaves other labels', 'tier=gold', { tier: 'silver' }, false],
    ['selects nothing where it is empty', ' ', { tier: 'gold' }, false],
    ['selects nothing where it is no selector', 'tier=(', { tier: 'gold' }, false],
    ['selects nothing where no label can have the value', 'tier=-gold', { tier: 'gold' }, false],
  ])('%s', (_, text, labels, expected) => {
    expect(isSelectedBy(objectSelector(binding(text)), labels)).toBe(expected);
  });

  it('says what is wrong with it', () => {
    expect(objectSelector(binding('tier in gold'))).toEqual({
      kind: 'invalid',
      message: "unable to parse requirement: found 'gold' expected: '('",
    });
  });

  it.each([
    [undefined, undefined, true],
    [undefined, 'tier=gold', true],
    ['tier=gold', 'tier=silver', false],
    ['tier=(', undefined, false],
  ])('%s meets %s: %s', (one, other, expected) => {
    expect(selectorsMeet(objectSelector(binding(one)), objectSelector(binding(other)))).toBe(expected);
  });
});
