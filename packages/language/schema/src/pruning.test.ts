import { describe, expect, it } from '@jest/globals';
import { type JsonValue, parse } from '@hawser/json';
import { compileSchema } from './compiled-schema.js';
import type { JsonSchemaProps } from './json-schema-props.js';

const SCHEMA: JsonSchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        known: { type: 'object' },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { bound: { type: 'object' } },
        },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
      },
    },
  },
};

function pruned(text: string): { readonly object: JsonValue; readonly paths: readonly string[] } {
  const object = parse(text);
  return { object, paths: compileSchema(SCHEMA).prune(object) };
}

describe('pruning', () => {
  it('drops what the schema does not know, and says what', () => {
    expect(
      pruned(
        '{"kind":"K","metadata":{"x":1},"extra":1,"spec":{"known":{"a":{"b":1}},"list":[{"a":"1","b":2}],"map":{"k.l":{"b":1}},"kind":"x"}}',
      ),
    ).toEqual({
      object: { kind: 'K', metadata: { x: 1 }, spec: { known: {}, list: [{ a: '1' }], map: { 'k.l': {} } } },
      paths: ['extra', 'spec.kind', 'spec.known.a', 'spec.list[0].b', 'spec.map.k.l.b'],
    });
  });

  it('keeps what is to be preserved, but for what is described below it', () => {
    expect(pruned('{"spec":{"free":{"a":{"b":1},"bound":{"c":1}}}}')).toEqual({
      object: { spec: { free: { a: { b: 1 }, bound: {} } } },
      paths: ['spec.free.bound.c'],
    });
  });

  it('keeps the type and metadata of embedded resources', () => {
    expect(
      pruned('{"spec":{"template":{"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"spec":{"x":1},"status":{}}}}'),
    ).toEqual({
      object: { spec: { template: { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' }, spec: {} } } },
      paths: ['spec.template.spec.x', 'spec.template.status'],
    });
  });

  it('takes __proto__ for the unknown field that it is', () => {
    expect(pruned('{"__proto__":{"a":1},"spec":{"known":{"__proto__":1}}}').paths).toEqual([
      '__proto__',
      'spec.known.__proto__',
    ]);
  });
});
