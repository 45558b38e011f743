import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@hawser/json';
import { JsonPatchError, applyJsonPatch } from './json-patch.js';

const document: JsonObject = { a: 1, list: [1, 2, 3], 'x/y': 1, 'm~n': 2, nothing: null };

const apply = (...operations: readonly JsonObject[]): JsonValue => applyJsonPatch(document, operations);

describe('a JSON patch', () => {
  it('adds, removes, replaces, moves and copies', () => {
    expect(
      apply(
        { op: 'add', path: '/b', value: 2 },
        { op: 'add', path: '/list/1', value: 'x' },
        { op: 'add', path: '/list/-', value: 'end' },
        { op: 'remove', path: '/x~1y' },
        { op: 'replace', path: '/m~0n', value: 3 },
        { op: 'move', from: '/a', path: '/c' },
        { op: 'copy', from: '/list/0', path: '/first' },
        { op: 'remove', path: '/list/-1' },
      ),
    ).toEqual({ b: 2, c: 1, first: 1, list: [1, 'x', 2, 3], 'm~n': 3, nothing: null });
    expect(document['a']).toBe(1);
  });

  it('takes what is missing for null', () => {
    expect(
      apply(
        { op: 'replace', path: '/new', value: 1 },
        { op: 'copy', from: '/gone', path: '/copied' },
        { op: 'test', path: '/gone', value: null },
        { op: 'add', path: '/empty' },
      ),
    ).toEqual({ ...document, new: 1, copied: null, empty: null });
  });

  it('ignores what stands before the first slash', () => {
    expect(apply({ op: 'add', path: 'spec/size', value: 1 })).toEqual({ ...document, size: 1 });
  });

  it('replaces the whole', () => {
    expect(apply({ op: 'replace', path: '', value: { z: 1 } }, { op: 'test', path: '', value: { z: 1 } })).toEqual({
      z: 1,
    });
  });

  it('has __proto__ as a key', () => {
    const patched = applyJsonPatch(JSON.parse('{"__proto__":{"a":1}}') as JsonObject, [
      { op: 'add', path: '/__proto__/b', value: 2 },
    ]);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"a":1,"b":2}}');
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
  });

  it.each<JsonObject>([
    { op: 'remove', path: '/gone' },
    { op: 'move', from: '/gone', path: '/x' },
    { op: 'add', path: '/gone/x', value: 1 },
    { op: 'add', path: '/nothing/x', value: 1 },
    { op: 'add', path: '/list/9', value: 1 },
    { op: 'replace', path: '/list/3', value: 1 },
    { op: 'test', path: '/a', value: 2 },
    { op: 'test', path: '/a' },
    { op: 'add', path: '', value: 1 },
    { op: 'add', value: 1 },
    { op: 'add', path: 5, value: 1 },
    { op: 'increment', path: '/a' },
    { path: '/a' },
    { op: 'copy', path: '/b' },
  ])('refuses %j', (operation) => {
    expect(() => apply(operation)).toThrow(JsonPatchError);
  });
});
