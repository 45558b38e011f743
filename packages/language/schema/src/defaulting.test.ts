import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@hawser/json';
import { compileSchema } from './compiled-schema.js';

const schema = compileSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      default: {},
      properties: {
        size: { type: 'integer', default: 3 },
        note: { type: 'string' },
        maybe: { type: 'string', nullable: true, default: 'x' },
        list: {
          type: 'array',
          items: { type: 'object', default: { a: 'item' }, properties: { a: { type: 'string', default: 'a' } } },
        },
        map: { type: 'object', additionalProperties: { type: 'string', default: 'value' } },
      },
    },
  },
});

function defaulted(object: JsonValue): JsonValue {
  schema.applyDefaults(object);
  return object;
}

describe('defaults', () => {
  it('are put where a field is missing, level by level', () => {
    expect(defaulted({})).toEqual({ spec: { size: 3, maybe: 'x' } });
    expect(defaulted({ spec: { size: 4, list: [{}, { a: 'b' }] } })).toEqual({
      spec: { size: 4, maybe: 'x', list: [{ a: 'a' }, { a: 'b' }] },
    });
  });

  it('take the place of a null that the schema does not allow', () => {
    expect(defaulted({ spec: { size: null, maybe: null, list: [null], map: { k: null } } })).toEqual({
      spec: { size: 3, maybe: null, list: [{ a: 'item' }], map: { k: 'value' } },
    });
  });

  it('leave out a null without a default', () => {
    expect(defaulted({ spec: { note: null } })).toEqual({ spec: { size: 3, maybe: 'x' } });
  });

  it('are not shared between objects', () => {
    const first = defaulted({}) as { spec: { size: number } };
    first.spec.size = 9;
    expect(defaulted({})).toEqual({ spec: { size: 3, maybe: 'x' } });
  });
});
