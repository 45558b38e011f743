import { describe, expect, it } from '@jest/globals';
import { parseJsonPath } from './json-path.js';

const object = {
  metadata: { annotations: { 'example.com/size': 'small' }, name: 'orders' },
  spec: {
    list: [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ],
    'a/b': [{ 'x.y/z': 'yes', found: true }],
  },
};

describe('the path of a column', () => {
  it.each([
    ['.metadata.name', ['orders']],
    [String.raw`.metadata.annotations.example\.com/size`, ['small']],
    [".metadata.annotations['example.com/size']", ['small']],
    ['.spec.list[*].name', ['a', 'b']],
    ['.spec.list[-1].name', ['b']],
    ['.spec.list[?(@.name=="b")].value', [2]],
    ['.spec.list[?(@.value == 1)].name', ['a']],
    [String.raw`.spec.a/b[?(@.x\.y/z=="yes")].found`, [true]],
    ['.spec.missing', []],
  ])('%s', (text, found) => {
    expect(parseJsonPath(text)?.find(object)).toEqual(found);
  });

  it('is not one that nobody understands', () => {
    expect(parseJsonPath('.spec.list[')).toBeUndefined();
  });
});
