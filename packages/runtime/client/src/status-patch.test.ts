import { TooDeepError } from '@hawser/json';
import { describe, expect, it } from '@jest/globals';
import { statusPatch } from './status-patch.js';

describe('statusPatch', () => {
  it.each<[string, object, object]>([
    ['equal', { a: 1, b: [{ c: 'x' }] }, { b: [{ c: 'x' }], a: 1 }],
    ['absent and empty list', {}, { conditions: [] }],
    ['absent and empty object', { a: {} }, {}],
    ['null and absent', { a: null }, {}],
    ['undefined and absent', {}, { a: undefined }],
    ['nested empties', { a: { b: [] } }, { a: { c: {} } }],
  ])('%s: nothing to write', (_title, before, after) => {
    expect(statusPatch(before, after)).toBeUndefined();
  });

  it.each<[string, object, object, unknown]>([
    ['a new field', {}, { a: 1 }, { a: 1 }],
    ['a removed field', { a: 1, b: 2 }, { b: 2 }, { a: null }],
    ['a list is replaced whole', { a: [1, 2], b: 1 }, { a: [1, 3], b: 1 }, { a: [1, 3] }],
    ['a nested field', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    ['a nested removal', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
    ['inside a list empties are kept', { a: [] }, { a: [{ selector: {} }] }, { a: [{ selector: {} }] }],
    ['an untouched neighbour is not written', { a: 1, conditions: [] }, { a: 2 }, { a: 2 }],
  ])('%s', (_title, before, after, expected) => {
    expect(statusPatch(before, after)).toEqual(expected);
  });

  // Deeper than an API server takes, in a status that a CRD lets be anything.
  const deep = (leaf: unknown): object =>
    JSON.parse(`${'{"a":[{"b":'.repeat(6_000)}${JSON.stringify(leaf)}${'}]}'.repeat(6_000)}`) as object;

  it('compares what is nested however deeply, and writes what else has changed', () => {
    expect(statusPatch(deep(1), deep(1))).toBeUndefined();
    expect(statusPatch({ x: deep({}), y: 1 }, { x: deep({ c: [] }), y: 2 })).toEqual({ y: 2 });
    expect(statusPatch({ x: deep(1) }, {})).toEqual({ x: null });
  });

  it('does not write what is nested too deeply', () => {
    expect(() => statusPatch({ x: deep(1) }, { x: deep(2) })).toThrow(TooDeepError);
    expect(() => statusPatch({}, { x: deep(1) })).toThrow(TooDeepError);
  });
});
