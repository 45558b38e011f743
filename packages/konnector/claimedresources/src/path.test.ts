import { describe, expect, it } from '@jest/globals';
import { follow, parsePath } from './path.js';

const values = (path: string, object: unknown): readonly string[] | undefined => {
  const parsed = parsePath(path);
  return parsed === undefined ? undefined : follow(parsed, object).map(({ value }) => value);
};
const object = {
  spec: {
    a: ' x ',
    n: 7,
    none: null,
    list: ['p', 'q', ''],
    refs: [{ name: 'one', deep: [{ k: '1' }, { k: '2' }] }, { other: 1 }, { name: 'two' }],
    'a.b': 'dotted',
    '#': 'hash',
  },
};

describe('paths', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['spec.a', ['x']],
    ['spec.n', ['7']],
    ['spec.none', []],
    ['spec.missing.deeper', []],
    ['spec.list', ['p', 'q']],
    ['spec.list.1', ['q']],
    ['spec.list.9', []],
    ['spec.list.length', []],
    ['spec.refs.#.name', ['one', 'two']],
    ['spec.refs.0.name', ['one']],
    ['spec.refs.#.deep.#.k', ['1', '2']],
    ['spec.a.#.name', []],
    ['spec', []],
    ['spec.a\\.b', ['dotted']],
    ['spec.\\#', ['hash']],
    ['toString', []],
    ['spec.list.__proto__', []],
    // What gjson reads in other ways, and what it does not read at all.
    ['spec.refs[*].name', undefined],
    ['spec.refs.#(name=="one").name', undefined],
    ['spec.*', undefined],
    ['@this', undefined],
    ['$.spec.a', []],
    ['.spec.a', undefined],
    ['spec..a', undefined],
    ['spec.', undefined],
    ['', undefined],
  ])('%s', (path, expected) => {
    expect(values(path, object)).toEqual(expected);
  });
});

it('follows lists within lists, and survives those that are nested without end', () => {
  const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 'x');
  const path = parsePath('spec') ?? [];
  expect(
    [2, 16, 17, 9_000, 100_000].map((depth) => follow(path, { spec: nested(depth) }).map(({ value }) => value)),
  ).toEqual([['x'], ['x'], [], [], []]);
});
