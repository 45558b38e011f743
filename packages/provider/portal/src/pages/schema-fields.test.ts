import { describe, expect, it } from '@jest/globals';
import { specFields } from './schema-fields.js';

const text = { type: 'string' };
const schema = (spec: object): object => ({ type: 'object', properties: { spec, status: { type: 'object' } } });
const rows = (spec: object): readonly string[] =>
  specFields(schema(spec)).fields.map(({ path, type, isRequired }) => `${path}: ${type}${isRequired ? '!' : ''}`);

describe('specFields', () => {
  it('names the fields of spec with what they hold, lists and maps included', () => {
    expect(
      rows({
        type: 'object',
        required: ['engine'],
        properties: {
          engine: { type: 'string', enum: ['postgres', 'mysql'] },
          size: { 'x-kubernetes-int-or-string': true },
          until: { type: 'string', format: 'date-time' },
          users: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: text } } },
          labels: { type: 'object', additionalProperties: text },
          zones: {
            type: 'object',
            additionalProperties: { type: 'object', properties: { weight: { type: 'integer' } } },
          },
          any: { 'x-kubernetes-preserve-unknown-fields': true },
        },
      }),
    ).toEqual([
      'spec.engine: one of postgres, mysql!',
      'spec.size: integer or string',
      'spec.until: string (date-time)',
      'spec.users: list of object',
      'spec.users[].name: string!',
      'spec.labels: map of string',
      'spec.zones: map of object',
      'spec.zones.*.weight: integer',
      'spec.any: anything',
    ]);
  });

  it('ends where nobody would read on, however deep or wide it is, and has none of what is not a schema', () => {
    let deep: object = text;
    for (let depth = 0; depth < 5_000; depth++) deep = { type: 'object', properties: { a: deep } };
    expect(specFields(schema(deep)).fields.length).toBeLessThan(10);
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, text]));
    const { fields, more } = specFields(schema({ type: 'object', properties: wide }));
    expect([fields.length, more]).toEqual([150, true]);
    for (const broken of [
      undefined,
      null,
      'x',
      [],
      { properties: 'x' },
      schema({ properties: { a: null }, required: 1 }),
    ])
      expect(specFields(broken).more).toBe(false);
    const long = specFields(schema({ properties: { a: { ...text, description: 'x'.repeat(9_999) } } }));
    expect(long.fields[0]?.description.length).toBe(401);
  });
});
