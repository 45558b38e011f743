import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '@hawser/json';
import { FieldSet } from './field-set.js';
import { type Path, type PathElement, field, item, pathText } from './path-element.js';
import { SetError } from './set-error.js';

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '__proto__').map(field),
  fc.constantFrom('x', 'y').map((value) => item({ name: 'name', value })),
  fc.constantFrom<PathElement>(
    { kind: 'value', value: 'v' },
    { kind: 'value', value: 1 },
    { kind: 'value', value: true },
    { kind: 'index', index: 0 },
  ),
);
const path: fc.Arbitrary<Path> = fc.array(element, { minLength: 1, maxLength: 3 });
const set: fc.Arbitrary<FieldSet> = fc.array(path, { maxLength: 12 }).map((paths) => FieldSet.of(...paths));
const members = (of: FieldSet): Set<string> => new Set([...of.paths()].map(pathText));

describe('fieldsV1', () => {
  it('is read and written as the server writes it', () => {
    const fieldsV1: JsonObject = {
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/a"': {} }, 'f:labels': { '.': {}, 'f:app': {} } },
      'f:spec': {
        'f:list': { 'i:0': {}, 'i:10': {} },
        'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
        'f:set': { 'v:1': {}, 'v:"x"': {}, 'v:true': {} },
      },
    };
    const read = FieldSet.parse(fieldsV1);
    expect(JSON.stringify(read.toFieldsV1())).toBe(JSON.stringify(fieldsV1));
    expect([...members(read)]).toEqual([
      '.metadata.finalizers',
      '.metadata.labels',
      '.metadata.finalizers[="example.com/a"]',
      '.metadata.labels.app',
      '.spec.list[0]',
      '.spec.list[10]',
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].port',
      '.spec.set[=1]',
      '.spec.set[="x"]',
      '.spec.set[=true]',
    ]);
  });

  it('puts keys in order, whatever the order in which they come', () => {
    const shuffled = { 'v:"b"': {}, 'f:b': {}, 'k:{"b":1,"a":2}': {}, 'i:2': {}, 'f:a': {}, 'v:2': {} };
    expect(Object.keys(FieldSet.parse(shuffled).toFieldsV1())).toEqual([
      'f:a',
      'f:b',
      'k:{"a":2,"b":1}',
      'v:2',
      'v:"b"',
      'i:2',
    ]);
  });

  it('drops elements of a kind that is not known, and refuses what is malformed', () => {
    expect(FieldSet.parse({ 'q:new': {}, 'f:a': {} }).toFieldsV1()).toEqual({ 'f:a': {} });
    for (const key of ['f', 'spec', 'v:{', 'i:x', 'k:1']) expect(() => FieldSet.parse({ [key]: {} })).toThrow(SetError);
  });

  it('keeps large numbers as they are', () => {
    expect(FieldSet.parse({ 'v:9223372036854775807': {} }).toFieldsV1()).toEqual({ 'v:9223372036854775807': {} });
  });
});

describe('a field set', () => {
  it('is what it is written as', () => {
    fc.assert(
      fc.property(set, (one) => {
        const read = FieldSet.parse(JSON.parse(JSON.stringify(one.toFieldsV1())) as JsonObject);
        expect(read.equals(one)).toBe(true);
        expect(members(read)).toEqual(members(one));
      }),
    );
  });

  it('has union, intersection and difference of its members', () => {
    fc.assert(
      fc.property(set, set, (one, other) => {
        const [left, right] = [members(one), members(other)];
        const onlyLeft = [...left].filter((each) => !right.has(each));
        expect(members(one.union(other))).toEqual(new Set([...left, ...right]));
        expect(members(one.intersection(other))).toEqual(new Set([...left].filter((each) => right.has(each))));
        expect(members(one.difference(other))).toEqual(new Set(onlyLeft));
        expect(one.difference(other).hasMembers).toBe(onlyLeft.length > 0);
        expect(one.union(other).equals(other.union(one))).toBe(true);
      }),
    );
  });

  it('loses all below a member in a recursive difference', () => {
    fc.assert(
      fc.property(set, set, (one, other) => {
        const gone = [...members(other)];
        const left = [...one.paths()].filter(
          (each) => !each.some((_element, depth) => gone.includes(pathText(each.slice(0, depth + 1)))),
        );
        expect(members(one.recursiveDifference(other))).toEqual(new Set(left.map(pathText)));
      }),
    );
  });

  it('has leaves that nothing is below of', () => {
    fc.assert(
      fc.property(set, (one) => {
        const all = [...one.paths()];
        const leaves = all.filter(
          (each) =>
            !all.some(
              (longer) => longer.length > each.length && pathText(longer.slice(0, each.length)) === pathText(each),
            ),
        );
        expect(members(one.leaves())).toEqual(new Set(leaves.map(pathText)));
      }),
    );
  });

  it('has what was put into it', () => {
    fc.assert(
      fc.property(set, path, (one, each) => {
        expect(one.union(FieldSet.of(each)).has(each)).toBe(true);
        expect(one.difference(FieldSet.of(each)).has(each)).toBe(false);
      }),
    );
  });
});
