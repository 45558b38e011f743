import type { JsonSchemaProps } from '@hawser/schema';
import { string } from './define-type.js';
import {
  type FieldType,
  type ListType,
  type MapField,
  type MapType,
  type ScalarType,
  untypedAtomic,
  untypedDeduced,
} from './field-type.js';
import { metadataType } from './metadata-type.js';

/**
 * The type of a custom resource from one version's schema (kube-openapi `schemaconv`). Without a schema everything is
 * free form. `preserveUnknownFields`: the CRD's setting, for the whole object.
 */
export function customResourceType(
  schema: JsonSchemaProps | undefined,
  options: { readonly preserveUnknownFields?: boolean } = {},
): FieldType {
  if (schema === undefined) return { map: { atomic: false, fields: new Map(), others: untypedDeduced } };
  const object: JsonSchemaProps = { ...schema, 'x-kubernetes-embedded-resource': true };
  return typeOfSchema(object, options.preserveUnknownFields === true);
}

/** The type of a schema. Below `x-kubernetes-preserve-unknown-fields` undeclared fields may be anything. */
export function typeOfSchema(schema: JsonSchemaProps, preserve = false): FieldType {
  const below = preserve || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case undefined:
    case '':
      return { scalar: 'untyped', list: listType(schema, below), map: mapType(schema, below) };
    case 'object':
      return { map: mapType(schema, below) };
    case 'array':
      return { list: listType(schema, below) };
    default:
      return { scalar: scalarType(schema.type, schema.format) };
  }
}

function scalarType(type: string, format: string | undefined): ScalarType {
  switch (type) {
    case 'integer':
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
    default:
      return 'untyped';
  }
}

function listType(schema: JsonSchemaProps, preserve: boolean): ListType {
  const kind = schema['x-kubernetes-list-type'] ?? 'atomic';
  return {
    relationship: kind === 'atomic' ? 'atomic' : 'associative',
    keys: kind === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [],
    items: schema.items === undefined ? untypedAtomic : typeOfSchema(schema.items, preserve),
  };
}

function mapType(schema: JsonSchemaProps, preserve: boolean): MapType {
  const fields = new Map<string, MapField>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, {
      type: typeOfSchema(property, preserve),
      ...(property.default === undefined ? {} : { default: property.default }),
    });
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    fields.set('apiVersion', { type: string });
    fields.set('kind', { type: string });
    fields.set('metadata', { type: metadataType });
  }
  const others = othersOf(schema, preserve, fields.size);
  return { atomic: schema['x-kubernetes-map-type'] === 'atomic', fields, ...(others === undefined ? {} : { others }) };
}

function othersOf(
  { additionalProperties }: JsonSchemaProps,
  preserve: boolean,
  properties: number,
): FieldType | undefined {
  if (additionalProperties === undefined) return preserve || properties === 0 ? untypedDeduced : undefined;
  if (typeof additionalProperties === 'boolean') return additionalProperties ? untypedDeduced : undefined;
  return typeOfSchema(additionalProperties, preserve);
}
