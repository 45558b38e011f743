import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { UnstructuredObject } from '@hawser/client';
import { type JsonObject, applyMergePatch, equal } from '@hawser/json';

import { changesSince, covers, lacking, replacement } from './three-way.js';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const leaf = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.constantFrom('x', 'y'),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n }),
);
const fields: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('object')),
})).object;
const labels = fc.dictionary(fc.constantFrom('l1', 'l2', 'l3'), fc.constantFrom('1', '2'));
const source = fc.tuple(fields, labels).map(([spec, map]): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'K',
  metadata: { name: 'n', ...(Object.keys(map).length === 0 ? {} : { labels: map }) },
  spec,
}));

/** A copy of `from` on which somebody has set fields of their own. */
const copyOf = (from: UnstructuredObject, extra: unknown): UnstructuredObject =>
  applyMergePatch(from, {
    spec: { own: extra },
    metadata: { name: 'copy', labels: { own: 'yes' }, annotations: { own: 'yes' } },
  }) as unknown as UnstructuredObject;
const apply = (to: UnstructuredObject, patch: JsonObject | undefined): UnstructuredObject =>
  patch === undefined ? to : (applyMergePatch(to, patch) as unknown as UnstructuredObject);

describe('a three-way merge', () => {
  it('carries every change of the source, and spares what only the destination has', () => {
    fc.assert(
      fc.property(source, source, fields, (before, after, extra) => {
        const copy = copyOf(before, extra);
        const merged = apply(copy, changesSince(before, after, []));
        expect(equal(merged, copyOf(after, extra))).toBe(true);
      }),
    );
  });

  it('changes nothing when it is made twice', () => {
    fc.assert(
      fc.property(source, source, fields, (before, after, extra) => {
        const patch = changesSince(before, after, []);
        const once = apply(copyOf(before, extra), patch);
        expect(equal(apply(once, patch), once)).toBe(true);
        expect(changesSince(after, after, [])).toBeUndefined();
      }),
    );
  });

  it('leaves an edit of the destination alone until the source changes the same field', () => {
    fc.assert(
      fc.property(source, fc.integer(), (from, edit) => {
        const edited = apply(from, { spec: { edited: edit } });
        const later = apply(from, { spec: { other: true } });
        expect((apply(edited, changesSince(from, later, []))['spec'] as JsonObject)['edited']).toBe(edit);
      }),
    );
  });

  it('without a memory brings all of the source, and knows when that is done', () => {
    fc.assert(
      fc.property(source, source, (wanted, present) => {
        const copy = copyOf(present, 'x');
        const replaced = apply(copy, replacement(wanted, copy, []));
        expect(covers(replaced, wanted, [])).toBe(true);
        expect(replacement(wanted, replaced, [])).toBeUndefined();
        expect(replaced.metadata.labels).toMatchObject({ own: 'yes' });
      }),
    );
  });

  it('gives a destination of which nothing is known for certain what it lacks, and takes nothing away', () => {
    fc.assert(
      fc.property(source, source, fields, (before, wanted, extra) => {
        const copy = copyOf(before, extra);
        const patch = lacking(copy, wanted, []);
        const filled = apply(copy, patch);
        expect(covers(filled, wanted, [])).toBe(true);
        expect(patch === undefined).toBe(covers(copy, wanted, []));
        expect(lacking(filled, wanted, [])).toBeUndefined();
        expect(filled.metadata.labels).toMatchObject({ own: 'yes' });
      }),
    );
    const [spec, kept] = [{ size: 'large' }, { size: 'small', setByTheService: true, nodes: { a: 1 } }];
    const of = (fieldsOf: unknown): UnstructuredObject => ({
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'n' },
      spec: fieldsOf,
    });
    expect(lacking(of(kept), of({ ...spec, nodes: { b: 2 } }), [])).toEqual({ spec: { ...spec, nodes: { b: 2 } } });
  });

  it('never takes the maps of labels and annotations away as a whole', () => {
    const before: UnstructuredObject = {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'n', labels: { a: '1' }, annotations: { b: '2' } },
    };
    const after: UnstructuredObject = { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' } };
    expect(changesSince(before, after, [])).toEqual({ metadata: { labels: { a: null }, annotations: { b: null } } });
  });
});
