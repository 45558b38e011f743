import { describe, expect, it } from '@jest/globals';
import { type JsonValue, parse } from '@hawser/json';
import { compileSchema } from './compiled-schema.js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { formatFieldError } from './status-message.js';

/** The lines for a value in `spec.x`. */
function linesFor(x: JsonSchemaProps, value: JsonValue): string[] {
  const schema = compileSchema({ type: 'object', properties: { spec: { type: 'object', properties: { x } } } });
  return schema.validate({ spec: { x: value } }).map(formatFieldError);
}

describe('validation', () => {
  it.each<[string, JsonSchemaProps, JsonValue, string[]]>([
    [
      'a type',
      { type: 'integer' },
      'string',
      ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      'null',
      { type: 'string' },
      null,
      ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
    ],
    ['a nullable null', { type: 'string', nullable: true }, null, []],
    [
      'an int or string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      'a value that is not listed',
      { type: 'string', enum: ['a', 'b'] },
      'x',
      ['spec.x: Unsupported value: "x": supported values: "a", "b"'],
    ],
    ['a long string', { type: 'string', maxLength: 3 }, 'abcd', ['spec.x: Too long: may not be more than 3 bytes']],
    ['characters beyond the first plane, which count once', { type: 'string', maxLength: 3 }, '😀😀😀', []],
    [
      'a short string',
      { type: 'string', minLength: 3 },
      'ab',
      ['spec.x: Invalid value: "ab": spec.x in body should be at least 3 chars long'],
    ],
    [
      'a pattern',
      { type: 'string', pattern: '^[a-z]+$' },
      'A',
      ['spec.x: Invalid value: "A": spec.x in body should match \'^[a-z]+$\''],
    ],
    [
      'a maximum',
      { type: 'integer', maximum: 5 },
      6,
      ['spec.x: Invalid value: 6: spec.x in body should be less than or equal to 5'],
    ],
    [
      'an exclusive minimum',
      { type: 'number', minimum: 1.5, exclusiveMinimum: true },
      1.5,
      ['spec.x: Invalid value: 1.5: spec.x in body should be greater than 1.5'],
    ],
    [
      'a great integer',
      { type: 'integer', maximum: 5 },
      2n ** 62n,
      ['spec.x: Invalid value: 4611686018427387904: spec.x in body should be less than or equal to 5'],
    ],
    [
      'int32',
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      'a fraction',
      { type: 'integer' },
      1.5,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
    [
      'a format',
      { type: 'string', format: 'date' },
      'today',
      ['spec.x: Invalid value: "today": spec.x in body must be of type date: "today"'],
    ],
    ['a format that nobody knows', { type: 'string', format: 'poem' }, 'today', []],
    [
      'too many items',
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 'b'],
      ['spec.x: Too many: 2: must have at most 1 item'],
    ],
    [
      'too few properties',
      { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
      {},
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 properties'],
    ],
    ['an item', { type: 'array', items: { type: 'object', required: ['a'] } }, [{}], ['spec.x[0].a: Required value']],
    [
      'none of several',
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      [
        '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.a: Required value',
      ],
    ],
    [
      'all but one',
      { allOf: [{ minLength: 2 }, { maxLength: 5 }], type: 'string' },
      'a',
      [
        'spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long',
        '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)',
      ],
    ],
    [
      'what must not be',
      { not: { enum: ['a'] }, type: 'string' },
      'a',
      ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
    [
      'a set',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'b', 'a', 'a'],
      ['spec.x[2]: Duplicate value: "a"'],
    ],
    [
      'a map',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'integer' } } },
      },
      [{ k: 1 }, { k: 1 }],
      ['spec.x[1]: Duplicate value: {"k":1}'],
    ],
    [
      'an embedded resource',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { kind: 'a_b' },
      [
        'spec.x.apiVersion: Required value',
        "spec.x.kind: Invalid value: \"a_b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
  ])('says what is wrong with %s', (_, schema, value, lines) => {
    expect(linesFor(schema, value)).toEqual(lines);
  });

  it('keeps keys apart from what objects inherit', () => {
    const schema = compileSchema({
      type: 'object',
      properties: { a: { type: 'object', required: ['constructor'], properties: { constructor: { type: 'string' } } } },
    });
    expect(schema.validate(parse('{"a":{"__proto__":{"constructor":"x"}}}')).map(formatFieldError)).toEqual([
      'a.constructor: Required value',
    ]);
  });
});

describe('validation of an update', () => {
  const schema = compileSchema({
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 2 },
      size: { type: 'integer', maximum: 5 },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string', maxLength: 1 } } },
      },
    },
  });

  it('forgives what has not changed', () => {
    const old = {
      name: 'long',
      size: 1,
      list: [
        { k: 'a', v: 'long' },
        { k: 'b', v: '' },
      ],
    };
    expect(schema.validate({ ...old, size: 2 }, old)).toEqual([]);
    expect(
      schema.validate(
        {
          ...old,
          list: [
            { k: 'c', v: '' },
            { k: 'a', v: 'long' },
          ],
        },
        old,
      ),
    ).toEqual([]);
  });

  it('does not forgive what has', () => {
    const old = { name: 'long', size: 1, list: [{ k: 'a', v: 'long' }] };
    expect(schema.validate({ ...old, name: 'longer' }, old).map(({ path }) => path)).toEqual(['name']);
    expect(schema.validate({ ...old, list: [{ k: 'b', v: 'long' }] }, old).map(({ path }) => path)).toEqual([
      'list[0].v',
    ]);
  });
});
