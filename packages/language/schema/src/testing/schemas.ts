import type { JsonObject, JsonValue } from '@hawser/json';
import fc from 'fast-check';
import { defaultErrors } from '../crd/default-validation.js';
import type { JsonSchemaProps } from '../json-schema-props.js';

const KEYS = ['a', 'b', 'c', 'metadata', 'kind', 'x.y'];
const WORDS = ['', 'a', 'ab', 'abc', 'abcd', '5', '5%', 'A', '2020-01-01', '1.2.3.4', 'é', '😀', 'b"', 'true', 'x@y'];
const FORMATS = ['date', 'ipv4', 'email', 'int32', 'poem', 'duration'];

const text = fc.constantFrom(...WORDS);
const integer = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(2 ** 31, -(2 ** 31), 2 ** 53 - 1));
const fraction = fc.constantFrom(0.5, 1.5, -2.25, 2.5, 1e21, 1e-7, 123_456.789);
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  integer,
  fraction,
  fc.boolean(),
  fc.constant(null),
  fc.constant(2n ** 63n - 1n),
);
const anything: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, 'd'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** `odds`: how often a value is present, per absence. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, odds = 3): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: Math.round(odds * 10), arbitrary }, { weight: 10, arbitrary: fc.constant(undefined) });

/** Without undefined keys. */
const compact = (schema: Readonly<Record<string, unknown>>): JsonSchemaProps =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));

const stringConditions: fc.Arbitrary<JsonSchemaProps> = fc
  .record({
    minLength: sometimes(fc.integer({ min: 0, max: 3 }), 1),
    maxLength: sometimes(fc.integer({ min: 0, max: 4 }), 1),
    pattern: sometimes(fc.constantFrom('^[a-z]+$', '\\d', '^.{2}$', '(?i)^a', 'a|b$'), 1),
    enum: sometimes(fc.uniqueArray(text, { minLength: 1, maxLength: 3 }), 0.5),
  })
  .map(compact);
const numberConditions: fc.Arbitrary<JsonSchemaProps> = fc
  .record({
    minimum: sometimes(fc.oneof(integer, fraction), 1),
    maximum: sometimes(fc.oneof(integer, fraction), 1),
    exclusiveMinimum: sometimes(fc.boolean(), 1),
    exclusiveMaximum: sometimes(fc.boolean(), 1),
    multipleOf: sometimes(fc.constantFrom(1, 2, 0.5, 2.5), 1),
    enum: sometimes(fc.uniqueArray(fc.oneof(integer, fraction), { minLength: 1, maxLength: 3 }), 0.5),
  })
  .map(compact);

/** Conditions for `allOf` and the like: about existing places of the schema. */
function conditions(schema: JsonSchemaProps, depth: number): fc.Arbitrary<JsonSchemaProps> {
  const own: fc.Arbitrary<JsonSchemaProps> =
    schema.type === 'string'
      ? stringConditions
      : schema.type === 'integer' || schema.type === 'number'
        ? numberConditions
        : schema.type === 'array'
          ? listConditions(schema, depth)
          : schema.type === 'object'
            ? objectConditions(schema, depth)
            : fc.oneof(stringConditions, numberConditions);
  return own.chain((found) =>
    depth > 0 ? branches(schema, depth - 1).map((more) => ({ ...found, ...more })) : fc.constant(found),
  );
}

function listConditions(schema: JsonSchemaProps, depth: number): fc.Arbitrary<JsonSchemaProps> {
  const items = schema.items === undefined ? fc.constant(undefined) : sometimes(conditions(schema.items, depth - 1), 1);
  return fc
    .record({
      minItems: sometimes(fc.integer({ min: 0, max: 2 }), 1),
      maxItems: sometimes(fc.integer({ min: 0, max: 3 }), 1),
      items,
    })
    .map(compact);
}

function objectConditions(schema: JsonSchemaProps, depth: number): fc.Arbitrary<JsonSchemaProps> {
  const names = Object.keys(schema.properties ?? {}).filter((name) => name !== 'metadata');
  const properties =
    names.length === 0
      ? fc.constant(undefined)
      : sometimes(
          fc
            .constantFrom(...names)
            .chain((name) =>
              conditions(schema.properties?.[name] ?? {}, depth - 1).map((inner) => ({ [name]: inner })),
            ),
          1,
        );
  return fc
    .record({
      required: sometimes(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 2 }), 1),
      minProperties: sometimes(fc.integer({ min: 0, max: 2 }), 0.5),
      maxProperties: sometimes(fc.integer({ min: 0, max: 2 }), 0.5),
      properties,
    })
    .map(compact);
}

function branches(schema: JsonSchemaProps, depth: number): fc.Arbitrary<JsonSchemaProps> {
  const some = fc.array(conditions(schema, depth), { minLength: 1, maxLength: 3 });
  return fc
    .record({
      allOf: sometimes(some, 0.2),
      anyOf: sometimes(some, 0.2),
      oneOf: sometimes(some, 0.2),
      not: sometimes(conditions(schema, depth), 0.2),
    })
    .map(compact);
}

const withConditions = (schema: JsonSchemaProps): fc.Arbitrary<JsonSchemaProps> =>
  fc
    .tuple(conditions(schema, 0), branches(schema, 1), sometimes(fc.constant(true), 0.3))
    .map(([own, more, nullable]) => ({ ...compact({ nullable }), ...own, ...more, ...schema }));

/** Schemas that a CRD may use for a field. */
export function structuralSchemas(depth: number): fc.Arbitrary<JsonSchemaProps> {
  const scalars = fc.oneof(
    fc.record({ type: fc.constant('string'), format: sometimes(fc.constantFrom(...FORMATS), 0.3) }).map(compact),
    fc
      .record({
        type: fc.constantFrom('integer', 'number'),
        format: sometimes(fc.constantFrom('int32', 'int64', 'float', 'double'), 0.3),
      })
      .map(compact),
    fc.constant<JsonSchemaProps>({ type: 'boolean' }),
    fc.constant<JsonSchemaProps>({ 'x-kubernetes-int-or-string': true }),
    fc.constant<JsonSchemaProps>({ 'x-kubernetes-preserve-unknown-fields': true }),
  );
  if (depth === 0) return scalars.chain(withConditions);
  const inner = structuralSchemas(depth - 1);
  const notNullable = inner.map((schema) => ({ ...schema, nullable: false }));
  const object = fc
    .record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom(...KEYS), inner, { minKeys: 1, maxKeys: 3 }),
      'x-kubernetes-preserve-unknown-fields': sometimes(fc.constant(true), 0.3),
    })
    .map(compact);
  const map = fc.record({ type: fc.constant('object'), additionalProperties: inner }) as fc.Arbitrary<JsonSchemaProps>;
  const list = fc
    .record({
      type: fc.constant('array'),
      items: inner,
      'x-kubernetes-preserve-unknown-fields': sometimes(fc.constant(true), 0.1),
    })
    .map(compact);
  const set = fc
    .constantFrom('string', 'integer', 'number')
    .map((type): JsonSchemaProps => ({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type } }));
  const listMap = fc
    .tuple(fc.uniqueArray(fc.constantFrom('k', 'l'), { minLength: 1, maxLength: 2 }), notNullable)
    .map(([keys, other]): JsonSchemaProps => ({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': keys,
      items: {
        type: 'object',
        required: keys,
        properties: { k: { type: 'string' }, l: { type: 'integer' }, a: other },
      },
    }));
  return fc
    .oneof({ weight: 2, arbitrary: scalars }, { weight: 2, arbitrary: object }, map, list, set, listMap)
    .chain(withConditions);
}

/** The schema with valid defaults in some places. */
export function withDefaults(schema: JsonSchemaProps): fc.Arbitrary<JsonSchemaProps> {
  const { items, properties, additionalProperties } = schema;
  const entries = Object.entries(properties ?? {});
  const below = fc
    .record({
      items: items === undefined ? fc.constant(undefined) : withDefaults(items),
      properties:
        properties === undefined
          ? fc.constant(undefined)
          : fc
              .tuple(...entries.map(([, property]) => withDefaults(property)))
              .map((list) => Object.fromEntries(entries.map(([name], index) => [name, list[index]]))),
      additionalProperties:
        typeof additionalProperties === 'object'
          ? withDefaults(additionalProperties)
          : fc.constant(additionalProperties),
    })
    .map(compact);
  return below
    .map((inner) => ({ ...schema, ...inner }))
    .chain((inner) =>
      sometimes(valuesFor(inner), 1).map((value) => {
        if (value === undefined || value === null) return inner;
        const candidate: JsonSchemaProps = { ...inner, default: value };
        return defaultErrors({ type: 'object', properties: { x: candidate } }, '', {
          requirePruned: true,
          checkDefault: undefined,
        }).length > 0
          ? inner
          : candidate;
      }),
    );
}

/** Values that often, but not always, match a schema. */
export function valuesFor(schema: JsonSchemaProps): fc.Arbitrary<JsonValue> {
  return fc.oneof({ weight: 6, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

function fitting(schema: JsonSchemaProps): fc.Arbitrary<JsonValue> {
  const listed = schema.enum === undefined ? [] : [fc.constantFrom(...schema.enum)];
  switch (schema.type) {
    case 'string':
      return fc.oneof(text, ...listed);
    case 'integer':
      return fc.oneof(integer, ...listed);
    case 'number':
      return fc.oneof(integer, fraction, ...listed);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesFor(schema.items ?? {}), { maxLength: 4 });
    case 'object':
      return objectFor(schema);
    case undefined:
    default:
      return anything;
  }
}

function objectFor(schema: JsonSchemaProps): fc.Arbitrary<JsonValue> {
  const additional = schema.additionalProperties;
  if (typeof additional === 'object')
    return fc.dictionary(fc.constantFrom(...KEYS), valuesFor(additional), { maxKeys: 3 });
  const known = fc.record(
    Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, valuesFor(property)])),
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
  return fc
    .tuple(known, fc.dictionary(fc.constantFrom('unknown', 'other'), anything, { maxKeys: 1 }))
    .map(([fields, more]) => ({ ...fields, ...more }));
}
