import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { createProjection } from './projection.js';

/** As it comes out of a parser: everything in it can be changed. */
type Parsed = KubeObject & {
  kind: string;
  metadata: { name: string; managedFields?: unknown; newField?: unknown; annotations: Record<string, string> };
};

const parsed = (): Parsed =>
  JSON.parse(
    JSON.stringify({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: {
        name: 'a',
        namespace: 'team',
        uid: 'u',
        resourceVersion: '7',
        newField: { x: 1 },
        labels: { app: 'x' },
        annotations: { keep: 'me', 'kubectl.kubernetes.io/last-applied-configuration': '{"long":"text"}' },
        managedFields: [{ manager: 'kubectl' }],
      },
      spec: { list: [1, { two: 2 }] },
      status: { phase: 'Ready' },
      data: { top: 'level' },
    }),
  ) as Parsed;

describe('what is kept of an object', () => {
  it('is everything but managedFields and the last applied configuration', () => {
    const expected = parsed();
    delete expected.metadata.managedFields;
    expected.metadata.annotations = { keep: 'me' };
    expect(createProjection({})(parsed())).toEqual(expected);
  });

  it('is everything, where the owner asks for managedFields', () => {
    expect(createProjection({ keepManagedFields: true })(parsed())).toEqual(parsed());
  });

  it('is apiVersion, kind and metadata for a metadata projection, also when the whole object was observed', () => {
    const projected = createProjection({ projection: 'metadata' })(parsed());
    expect(Object.keys(projected)).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(projected.metadata.newField).toEqual({ x: 1 });
  });

  it('leaves out annotations that would be empty', () => {
    const object = parsed();
    delete object.metadata.annotations['keep'];
    expect(createProjection({})(object).metadata).not.toHaveProperty('annotations');
  });

  it('is frozen, as far as metadata goes', () => {
    const projected = createProjection({})(parsed());
    expect(() => {
      projected.kind = 'Other';
    }).toThrow(TypeError);
    expect(() => {
      projected.metadata.name = 'b';
    }).toThrow(TypeError);
  });

  it('keeps a field called __proto__ a field', () => {
    const object = JSON.parse(
      '{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","__proto__":{"b":1}},"__proto__":{"polluted":true}}',
    ) as KubeObject;
    const projected = createProjection({})(object);
    expect(JSON.parse(JSON.stringify(projected))).toEqual(object);
    expect(Object.getPrototypeOf(projected)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(projected.metadata)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('does not change the object that it was made from', () => {
    const object = parsed();
    createProjection({})(object);
    expect(object).toEqual(parsed());
  });
});
