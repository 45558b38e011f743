import { describe, expect, it } from '@jest/globals';
import { compareDefinitions, definitionOf, describeChange } from './index.js';

type Schema = Record<string, unknown>;

const spec = (schema: Schema, more: object = {}): Parameters<typeof definitionOf>[0] => ({
  group: 'example.com',
  scope: 'Namespaced',
  names: { kind: 'Database', plural: 'databases' },
  versions: [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
  ],
  ...more,
});
/** A schema whose `spec.x` is `field`. */
const field = (x: Schema | undefined, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: x === undefined ? {} : { x }, ...more } },
});
const compare = (
  before: Parameters<typeof definitionOf>[0],
  after: Parameters<typeof definitionOf>[0],
): readonly [string, ...string[]] => {
  const { severity, changes } = compareDefinitions(definitionOf(before), definitionOf(after));
  return [severity, ...changes.map(describeChange)];
};
const fields = (before: Schema | undefined, after: Schema | undefined): readonly string[] =>
  compare(spec(field(before)), spec(field(after)));

describe('a changed schema', () => {
  it.each<[string, Schema | undefined, Schema | undefined]>([
    ['nothing', { type: 'string' }, { type: 'string' }],
    ['only the description', { type: 'string' }, { type: 'string', description: 'new' }],
    ['a new property', undefined, { type: 'string' }],
    ['further values', { enum: ['a'] }, { enum: ['b', 'a'] }],
    ['every value', { enum: ['a'] }, {}],
    [
      'wider bounds',
      { minimum: 2, maximum: 4, minLength: 2, maxLength: 4 },
      { minimum: 1, maximum: 5, minLength: 1, maxLength: 5 },
    ],
    ['no bounds', { minimum: 2, pattern: 'a', multipleOf: 2, anyOf: [{ type: 'string' }] }, {}],
    ['a divisor', { multipleOf: 6 }, { multipleOf: 3 }],
    ['long integers that are the same', { maximum: 9n }, { maximum: 9 }],
    ['a rule goes', { 'x-kubernetes-validations': [{ rule: 'true' }] }, {}],
    ['null is allowed', { type: 'string' }, { type: 'string', nullable: true }],
    [
      'a property into free ones',
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
  ])('is safe: %s', (_title, before, after) => {
    expect(fields(before, after)[0]).toBe('safe');
  });

  it.each<[string, Schema | undefined, Schema | undefined, string]>([
    ['integers become numbers', { type: 'integer' }, { type: 'number' }, 'v1: spec.x: is number, was integer'],
    [
      'integers become integers or strings',
      { type: 'integer' },
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      'v1: spec.x: is integer or string, was integer',
    ],
    ['anything goes', { type: 'string' }, {}, 'v1: spec.x: is of any type, was string'],
    ['a default', { type: 'string' }, { type: 'string', default: 'a' }, 'v1: spec.x: has a default'],
    ['a new field with a default', undefined, { type: 'string', default: 'a' }, 'v1: spec.x: has a default'],
    [
      'another default',
      { type: 'string', default: 'b' },
      { type: 'string', default: 'a' },
      'v1: spec.x: has another default',
    ],
    [
      'no format',
      { type: 'string', format: 'date' },
      { type: 'string' },
      'v1: spec.x: need not have the format date any more',
    ],
    [
      'longer numbers',
      { type: 'integer', format: 'int32' },
      { type: 'integer', format: 'int64' },
      'v1: spec.x: must have the format int64, had int32',
    ],
    [
      'an atomic map',
      { type: 'object' },
      { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      'v1: spec.x: is a map of type atomic, was granular',
    ],
  ])('is worth a warning: %s', (_title, before, after, message) => {
    expect(fields(before, after)).toEqual(['warn', ...(before === undefined ? ['v1: spec.x: is new'] : []), message]);
  });

  it.each<[string, Schema | undefined, Schema | undefined, string]>([
    [
      'a removed property',
      { type: 'string' },
      undefined,
      'v1: spec.x: is no longer there: what is stored in it is lost',
    ],
    [
      'numbers become integers',
      { 'x-kubernetes-int-or-string': true },
      { type: 'string' },
      'v1: spec.x: is string, was integer or string',
    ],
    ['no longer of any type', {}, { type: 'string' }, 'v1: spec.x: is string, was of any type'],
    ['a removed value', { enum: ['a', 'b'] }, { enum: ['a'] }, 'v1: spec.x: may no longer be b'],
    ['a new enum', {}, { enum: ['a', 1] }, 'v1: spec.x: may only be one of a, 1'],
    ['a higher minimum', { minimum: 1 }, { minimum: 2n }, 'v1: spec.x: may be no less than 2, was 1'],
    ['a new maximum', {}, { maximum: 3 }, 'v1: spec.x: may be no more than 3'],
    [
      'an exclusive maximum',
      { maximum: 3 },
      { maximum: 3, exclusiveMaximum: true },
      'v1: spec.x: may no longer be its maximum',
    ],
    ['no divisor', { multipleOf: 3 }, { multipleOf: 2 }, 'v1: spec.x: must be a multiple of 2, was 3'],
    ['a shorter length', { maxLength: 9 }, { maxLength: 8 }, 'v1: spec.x: may have at most this length: 8, was 9'],
    ['more items', {}, { minItems: 1 }, 'v1: spec.x: must have at least this many items: 1'],
    ['fewer fields', {}, { maxProperties: 1 }, 'v1: spec.x: may have at most this many fields: 1'],
    ['another pattern', { pattern: 'a' }, { pattern: 'b' }, 'v1: spec.x: must have the pattern b, had a'],
    ['a new format', {}, { format: 'date' }, 'v1: spec.x: must have the format date'],
    ['no null', { nullable: true }, {}, 'v1: spec.x: may no longer be null'],
    [
      'another condition',
      { anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'integer' }] },
      'v1: spec.x: has another condition (anyOf)',
    ],
    [
      'a new rule',
      {},
      { 'x-kubernetes-validations': [{ rule: 'self > 1' }] },
      'v1: spec.x: must satisfy the rule self > 1',
    ],
    [
      'an atomic list becomes a set',
      { type: 'array' },
      { type: 'array', 'x-kubernetes-list-type': 'set' },
      'v1: spec.x: is a list of type set, was atomic',
    ],
    [
      'a map becomes atomic',
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] },
      { type: 'array' },
      'v1: spec.x: is a list of type atomic, was map',
    ],
    [
      'a list by another key',
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n', 'm'] },
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['m'] },
      'v1: spec.x: is a list by m, was by m, n',
    ],
    [
      'an exclusive minimum',
      { minimum: 3 },
      { minimum: 3, exclusiveMinimum: true },
      'v1: spec.x: may no longer be its minimum',
    ],
    [
      'a rule that is for creation too',
      { 'x-kubernetes-validations': [{ rule: 'self > 1' }] },
      { 'x-kubernetes-validations': [{ rule: 'self > 1', optionalOldSelf: true }] },
      'v1: spec.x: must satisfy the rule self > 1',
    ],
    [
      'a condition more',
      { allOf: [{ minLength: 1 }] },
      { allOf: [{ minLength: 1 }, { maxLength: 3 }] },
      'v1: spec.x: has another condition (allOf)',
    ],
    [
      'another type',
      { type: 'string', maxLength: 9 },
      { type: 'integer', maximum: 1 },
      'v1: spec.x: is integer, was string',
    ],
    ['only whole numbers', { type: 'number' }, { type: 'integer' }, 'v1: spec.x: is integer, was number'],
    [
      'a bound deep inside of what was kept unseen',
      { 'x-kubernetes-preserve-unknown-fields': true },
      {
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { a: { 'x-kubernetes-preserve-unknown-fields': true, properties: { b: { maxLength: 1 } } } },
      },
      'v1: spec.x.a.b: may have at most this length: 1',
    ],
    [
      'free fields are dropped',
      { type: 'object', additionalProperties: true },
      { type: 'object' },
      'v1: spec.x.*: fields of other names are no longer kept',
    ],
    [
      'unknown fields are dropped',
      { 'x-kubernetes-preserve-unknown-fields': true },
      {},
      'v1: spec.x.*: fields of other names are no longer kept',
    ],
    [
      'inside an item',
      { type: 'array', items: { type: 'object', properties: { n: { type: 'string' } } } },
      { type: 'array', items: { type: 'object', properties: { n: { type: 'string', maxLength: 1 } } } },
      'v1: spec.x[*].n: may have at most this length: 1',
    ],
    [
      'inside free fields',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } },
      'v1: spec.x.*: may have at most this length: 1',
    ],
    [
      'a name among free fields',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: true, properties: { a: { type: 'string' } } },
      'v1: spec.x.a: is string, was of any type',
    ],
    [
      'a property called like a keyword',
      { type: 'object', properties: { enum: { type: 'string' } } },
      { type: 'object', properties: {} },
      'v1: spec.x.enum: is no longer there: what is stored in it is lost',
    ],
    [
      'a property that is in every object',
      { type: 'object', properties: { toString: { type: 'string' } } },
      { type: 'object', properties: {} },
      'v1: spec.x.toString: is no longer there: what is stored in it is lost',
    ],
  ])('is breaking: %s', (_title, before, after, message) => {
    const [severity, ...messages] = fields(before, after);
    expect(severity).toBe('breaking');
    expect(messages).toContain(message);
  });

  it('is breaking where a field is required that has no default', () => {
    const required = (x: Schema): ReturnType<typeof spec> => spec(field(x, { required: ['x'] }));
    const optional = (x: Schema): ReturnType<typeof spec> => spec(field(x));
    expect(compare(optional({ type: 'string' }), required({ type: 'string' }))).toEqual([
      'breaking',
      'v1: spec.x: is required',
    ]);
    expect(compare(optional({ type: 'string' }), required({ type: 'string', default: '' }))).toEqual([
      'warn',
      'v1: spec.x: has a default',
    ]);
    expect(compare(required({ default: '' }), required({}))).toContain(
      'v1: spec.x: is required, and has no default any more',
    );
    expect(compare(required({}), optional({}))).toEqual(['safe', 'v1: spec.x: is no longer required']);
  });
});

describe('a changed resource', () => {
  it('is another one where group, kind, plural or scope change', () => {
    const before = spec({});
    for (const after of [
      { group: 'other.com' },
      { scope: 'Cluster' },
      { names: { kind: 'Db', plural: 'databases' } },
      { names: { kind: 'Database', plural: 'dbs' } },
    ]) {
      expect(compare(before, spec({}, after))[0]).toBe('incompatible');
    }
    expect(compare(before, spec({}, { scope: 'Cluster' }))).toEqual([
      'incompatible',
      'the scope is Cluster, was Namespaced',
    ]);
  });

  const version = (name: string, schema: Schema, more: object = {}) => ({
    name,
    served: true,
    storage: false,
    schema,
    subresources: {},
    ...more,
  });

  it('may gain versions, but not lose those that are served', () => {
    const [v1, v2] = [version('v1', {}, { storage: true }), version('v2', {})];
    expect(compare(spec({}, { versions: [v1] }), spec({}, { versions: [v1, v2] }))).toEqual([
      'safe',
      'v2: the version is new',
    ]);
    expect(compare(spec({}, { versions: [v1, v2] }), spec({}, { versions: [v1] }))).toEqual([
      'breaking',
      'v2: the version is no longer there',
    ]);
    expect(compare(spec({}, { versions: [v1, v2] }), spec({}, { versions: [v1, { ...v2, served: false }] }))).toEqual([
      'breaking',
      'v2: the version is no longer served',
    ]);
    expect(compare(spec({}, { versions: [v1, { ...v2, served: false }] }), spec({}, { versions: [v1] }))[0]).toBe(
      'safe',
    );
  });

  it('reads what was stored as one version as the other, once that is the stored one', () => {
    const [a, b] = [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: { type: 'string' } } },
    ];
    const before = spec({}, { versions: [version('v1', a, { storage: true }), version('v2', b)] });
    const after = spec({}, { versions: [version('v1', a), version('v2', b, { storage: true })] });
    expect(compare(before, after)).toEqual([
      'breaking',
      'objects are stored as v2, were as v1',
      'v2: a: is no longer there: what is stored in it is lost',
      'v2: b: is new',
    ]);
  });

  it('breaks writers of the status where that becomes a subresource, or is none any more', () => {
    const [none, status] = [
      version('v1', {}, { storage: true }),
      version('v1', {}, { storage: true, subresources: { status: {}, scale: undefined } }),
    ];
    expect(compare(spec({}, { versions: [none] }), spec({}, { versions: [status] }))).toEqual([
      'breaking',
      'v1: the status is a subresource now',
    ]);
    expect(compare(spec({}, { versions: [status] }), spec({}, { versions: [none] }))).toEqual([
      'breaking',
      'v1: the subresource status is no longer there',
    ]);
    expect(
      compare(
        spec({}, { versions: [none] }),
        spec({}, { versions: [version('v1', {}, { storage: true, subresources: { scale: {} } })] }),
      )[0],
    ).toBe('safe');
  });

  it('may leave out what every object has anyway', () => {
    const properties = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
    expect(compare(spec({ properties }), spec({}))).toEqual(['safe']);
    const named = (name: Schema): Schema => ({
      properties: { ...properties, metadata: { type: 'object', properties: { name } } },
    });
    expect(compare(spec({}), spec(named({ type: 'string', maxLength: 9 })))).toEqual([
      'breaking',
      'v1: metadata.name: may have at most this length: 9',
    ]);
    expect(compare(spec(named({ type: 'string', maxLength: 9 })), spec({}))).toEqual([
      'safe',
      'v1: metadata.name: has no maxLength any more',
    ]);
    expect(compare(spec({ properties: { spec: { properties } } }), spec({ properties: { spec: {} } }))[0]).toBe(
      'breaking',
    );
  });

  it('is read alike from a CRD and from an APIResourceSchema, and from what is no schema at all', () => {
    const schema = { type: 'object' };
    expect(definitionOf(spec(schema))).toEqual(
      definitionOf(
        spec({}, { versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }] }),
      ),
    );
    expect(
      definitionOf(
        spec({}, { versions: [{ name: 'v1', served: true, storage: true, schema: null, subresources: null }] }),
      ).versions[0]?.schema,
    ).toEqual({});
    expect(
      compare(
        spec({ properties: 7, required: 'x', enum: 'y', items: [] }),
        spec({ properties: null, required: [1], enum: {}, items: 3 }),
      ),
    ).toEqual(['safe']);
  });
});
