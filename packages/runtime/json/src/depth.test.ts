import { describe, expect, it } from '@jest/globals';

import {
  applyMergePatch,
  canonical,
  clone,
  createMergePatch,
  equal,
  isTooDeep,
  MAX_DEPTH,
  parse,
  TooDeepError,
} from './index.js';

const objects = (depth: number, leaf = '1'): unknown => parse('{"a":'.repeat(depth) + leaf + '}'.repeat(depth));
const arrays = (depth: number, leaf = '1'): unknown => parse('['.repeat(depth) + leaf + ']'.repeat(depth));
const mixed = (depth: number, leaf = '1'): unknown => parse('[{"a":'.repeat(depth / 2) + leaf + '}]'.repeat(depth / 2));

const walks: readonly (readonly [string, (one: unknown, same: unknown, other: unknown) => unknown])[] = [
  ['equal', (one, same) => equal(one, same)],
  ['equal, of what differs at the bottom', (one, _, other) => equal(one, other)],
  ['clone', (one) => clone(one)],
  ['canonical', (one) => canonical(one)],
  ['createMergePatch', (one, _, other) => createMergePatch(one, other)],
  ['createMergePatch, of what is new', (one) => createMergePatch({}, { one })],
  ['applyMergePatch', (one, _, other) => applyMergePatch(one, other)],
  ['applyMergePatch, on what is not there', (one) => applyMergePatch(null, one)],
];

describe.each(walks)('%s', (_, walk) => {
  it.each([
    ['objects', objects],
    ['arrays', arrays],
    ['both', mixed],
  ] as const)('takes %s of the greatest depth, and no deeper ones', (_shape, make) => {
    const run = (depth: number): unknown => walk(make(depth), make(depth), make(depth, '2'));
    expect(() => run(MAX_DEPTH - 2)).not.toThrow();
    for (const depth of [MAX_DEPTH + 2, 3_000, 9_000, 100_000]) expect(() => run(depth)).toThrow(TooDeepError);
  });
});

it('knows an overflow by its cause', () => {
  const overflow = (): number => 1 + overflow();
  const thrown = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  expect(isTooDeep(thrown(overflow))).toBe(true);
  expect(isTooDeep(new Error('a step failed', { cause: new TooDeepError() }))).toBe(true);
  expect(isTooDeep(new RangeError('Invalid array length'))).toBe(false);
  expect(isTooDeep('Maximum call stack size exceeded')).toBe(false);
});

it('parses long integers however deep the text is nested', () => {
  const depth = 50_000;
  const text = `{"a":[1, 12345678901234567890,{"__proto__":-12345678901234567890,"q\\"{":"\\u00e9}12345678901234567890"}, true ,null,-0.5,"",{},[]],"deep":${'[{"x":'.repeat(depth / 2)}[9007199254740993]${'}]'.repeat(depth / 2)}}`;
  const { a, deep } = parse(text) as { readonly a: unknown; readonly deep: unknown };
  expect(canonical(a)).toBe(
    '[1,12345678901234567890,{"__proto__":-12345678901234567890,"q\\"{":"é}12345678901234567890"},true,null,-0.5,"",{},[]]',
  );
  let leaf = deep;
  for (let level = 0; level < depth / 2; level++) leaf = (leaf as readonly { readonly x: unknown }[])[0]?.x;
  expect(leaf).toEqual([9007199254740993n]);
});
