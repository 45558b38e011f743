import type { JsonValue } from '@hawser/json';
import fc from 'fast-check';
import type { JsonSchemaProps } from '../json-schema-props.js';
import { structuralSchemas, valuesFor } from './schemas.js';

/** Possible schema errors, for any place. */
const FAULTS: readonly Readonly<Record<string, unknown>>[] = [
  { type: '' },
  { type: 'text' },
  { type: 'array' },
  { nullable: true },
  { pattern: '[' },
  { uniqueItems: true },
  { id: 'x' },
  { $ref: 'x' },
  { $schema: 'x' },
  { additionalProperties: false },
  { additionalProperties: { type: 'string' } },
  { 'x-kubernetes-embedded-resource': true },
  { 'x-kubernetes-int-or-string': true },
  { 'x-kubernetes-preserve-unknown-fields': true },
  { 'x-kubernetes-list-type': 'set' },
  { 'x-kubernetes-list-type': 'map' },
  { 'x-kubernetes-list-map-keys': ['a'] },
  { 'x-kubernetes-map-type': 'atomic' },
  { description: 'd', title: 't' },
  { items: [{ type: 'string' }] },
  { items: { type: 'string' } },
  { properties: { metadata: { type: 'string' } } },
  { allOf: [{ properties: { nowhere: { type: 'string' } } }] },
  { not: { items: {} } },
  { anyOf: [{ type: 'integer' }, { type: 'string' }] },
  { required: ['a'] },
  { maximum: 5, format: 'int32' },
  { dependencies: {} },
];

/** Schemas with a default, or an error, or neither. */
export const faultySchemas: fc.Arbitrary<JsonSchemaProps> = structuralSchemas(2).chain((schema) =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...FAULTS), fc.nat())
        .map(([fault, position]) => changedAt(schema, position, fault)),
    },
    {
      weight: 3,
      arbitrary: fc
        .nat()
        .chain((position) =>
          valuesFor(schemaAt(schema, position)).map((value: JsonValue) =>
            changedAt(schema, position, { default: value }),
          ),
        ),
    },
    { weight: 1, arbitrary: fc.constant(schema) },
  ),
);

/** All nested schemas, each with a function that replaces it. */
function nestedSchemas(
  schema: JsonSchemaProps,
): (readonly [JsonSchemaProps, (other: JsonSchemaProps) => JsonSchemaProps])[] {
  const nested: (readonly [JsonSchemaProps, (other: JsonSchemaProps) => JsonSchemaProps])[] = [
    [schema, (other) => other],
  ];
  const below = (inner: JsonSchemaProps, put: (other: JsonSchemaProps) => JsonSchemaProps): void => {
    for (const [found, replace] of nestedSchemas(inner)) nested.push([found, (other) => put(replace(other))]);
  };
  if (schema.items !== undefined) below(schema.items, (items) => ({ ...schema, items }));
  if (typeof schema.additionalProperties === 'object')
    below(schema.additionalProperties, (additionalProperties) => ({ ...schema, additionalProperties }));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    below(property, (other) => ({ ...schema, properties: { ...schema.properties, [name]: other } }));
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (schema[keyword] ?? []).entries())
      below(branch, (other) => ({
        ...schema,
        [keyword]: schema[keyword]?.map((old, at) => (at === index ? other : old)),
      }));
  }
  if (schema.not !== undefined) below(schema.not, (not) => ({ ...schema, not }));
  return nested;
}

function schemaAt(schema: JsonSchemaProps, position: number): JsonSchemaProps {
  const nested = nestedSchemas(schema);
  return nested[position % nested.length]?.[0] ?? schema;
}

function changedAt(
  schema: JsonSchemaProps,
  position: number,
  change: Readonly<Record<string, unknown>>,
): JsonSchemaProps {
  const nested = nestedSchemas(schema);
  const [found, replace] = nested[position % nested.length] ?? [schema, (other: JsonSchemaProps) => other];
  return replace({ ...found, ...change });
}
