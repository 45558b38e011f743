import { describe, expect, it } from '@jest/globals';
import { schemaOf } from './openapi-schema.js';

const wanted = { group: 'example.org', version: 'v1', kind: 'Widget' };
const widget = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: {}, ...properties },
  'x-kubernetes-group-version-kind': [wanted],
  ...more,
});
const of = (root: object, others: object = {}): unknown =>
  schemaOf({ components: { schemas: { Widget: root, ...others } } }, wanted);

describe('schemaOf', () => {
  it('keeps what a CRD can say, and nothing that an API server adds', () => {
    const size = { type: 'integer', format: 'int32', minimum: 1, default: 3, description: 'How large.', example: 1 };
    expect(of(widget({ size }, { required: ['metadata', 'size'], description: 'A widget.' }))).toEqual({
      type: 'object',
      description: 'A widget.',
      required: ['size'],
      properties: { size: { type: 'integer', format: 'int32', minimum: 1, default: 3, description: 'How large.' } },
    });
    expect(of(widget({}))).toEqual({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    expect(schemaOf({}, wanted)).toBeUndefined();
  });

  it('keeps int-or-string apart from what is open', () => {
    const port = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
    expect(of(widget({ port, old: { type: 'string', format: 'int-or-string' }, any: {} }))).toEqual({
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        old: { 'x-kubernetes-int-or-string': true },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
  });

  it('follows references, also within allOf, lists and maps, and leaves open what contains itself', () => {
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const spec = { allOf: [ref('Spec')], default: {}, description: 'Wanted.' };
    const Spec = { type: 'object', properties: { parts: { type: 'array', items: ref('Part') } } };
    const Part = { type: 'object', properties: { name: { type: 'string' }, inner: ref('Part') } };
    expect(
      of(widget({ spec, map: { type: 'object', additionalProperties: ref('Part') } }), { Spec, Part }),
    ).toMatchObject({
      properties: {
        spec: {
          type: 'object',
          default: {},
          description: 'Wanted.',
          properties: {
            parts: {
              items: {
                properties: {
                  name: { type: 'string' },
                  inner: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
        map: { additionalProperties: { properties: { name: { type: 'string' } } } },
      },
    });
  });

  it('gives up a definition that grows without end', () => {
    const names = Array.from({ length: 20 }, (_, index) => `D${index}`);
    const next = (name: string | undefined): object =>
      name === undefined ? {} : { $ref: `#/components/schemas/${name}` };
    const others = Object.fromEntries(
      names.map((name, index) => [
        name,
        { type: 'object', properties: { a: next(names[index + 1]), b: next(names[index + 1]) } },
      ]),
    );
    expect(of(widget({ spec: next('D0') }), others)).toBeUndefined();
  });
});
