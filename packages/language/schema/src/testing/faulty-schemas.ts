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
        .map(([fault, index]) => changedAt(schema, index, fault)),
    },
    {
      weight: 3,
      arbitrary: fc
        .nat()
        .chain((index) =>
          valuesFor(schemaAt(schema, index)).map((value: JsonValue) => changedAt(schema, index, { default: value })),
        ),
    },
    { weight: 1, arbitrary: fc.constant(schema) },
  ),
);

/** All nested schemas, each with a function that replaces it. */
function schemasIn(
  schema: JsonSchemaProps,
): (readonly [JsonSchemaProps, (other: JsonSchemaProps) => JsonSchemaProps])[] {
  const all: (readonly [JsonSchemaProps, (other: JsonSchemaProps) => JsonSchemaProps])[] = [[schema, (other) => other]];
  const below = (inner: JsonSchemaProps, put: (other: JsonSchemaProps) => JsonSchemaProps): void => {
    for (const [found, replace] of schemasIn(inner)) all.push([found, (other) => put(replace(other))]);
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
  return all;
}

function schemaAt(schema: JsonSchemaProps, index: number): JsonSchemaProps {
  const all = schemasIn(schema);
  return all[index % all.length]?.[0] ?? schema;
}

function changedAt(schema: JsonSchemaProps, index: number, change: Readonly<Record<string, unknown>>): JsonSchemaProps {
  const all = schemasIn(schema);
  const [found, replace] = all[index % all.length] ?? [schema, (other: JsonSchemaProps) => other];
  return replace({ ...found, ...change });
}
