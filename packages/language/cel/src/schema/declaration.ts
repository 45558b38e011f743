import type { JsonSchemaProps } from '@hawser/schema';
import { listOf, mapOf, type Type, types } from '../check/type.js';
import { escape } from './escape.js';
import { withObjectMeta } from './object-meta.js';

const stringTypes: Readonly<Record<string, Type>> = {
  byte: types.bytes,
  duration: types.duration,
  date: types.timestamp,
  'date-time': types.timestamp,
};

const scalarTypes: Readonly<Record<string, Type>> = { boolean: types.bool, number: types.double, integer: types.int };

const objectType = (schema: JsonSchemaProps, name: string): Type => {
  const known = new Map<string, Type | undefined>();
  const properties = new Map(
    Object.entries(schema.properties ?? {}).flatMap(([property, child]) => {
      const escaped = escape(property);
      return escaped === undefined ? [] : [[escaped, child] as const];
    }),
  );
  const field = (written: string): Type | undefined => {
    // A reserved word needs no escape as a field; it would be misread only on its own.
    const fieldName = properties.has(written) ? written : (escape(written) ?? written);
    const child = properties.get(fieldName);
    if (child !== undefined && !known.has(fieldName)) {
      known.set(fieldName, nested(child, `${name}.${fieldName}`));
    }
    return known.get(fieldName);
  };
  return { kind: 'object', name, field };
};

/**
 * The type of a schema's values (`apiserver/pkg/cel/common/schemas.go`). Undefined if expressions do not see them:
 * values without a type, and lists and maps of such.
 *
 * @param isResource - whether the schema is the root of a custom resource or of an embedded one
 * @param name - of the type, if it is an object; its fields' types are named after it
 */
export function declarationOf(schema: JsonSchemaProps, isResource: boolean, name: string): Type | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return types.dyn;
  }
  if (schema.type === 'array') {
    const element = schema.items === undefined ? undefined : nested(schema.items, `${name}.@idx`);
    return element === undefined ? undefined : listOf(element);
  }
  if (schema.type === 'object') {
    const additional = schema.additionalProperties;
    if (typeof additional !== 'object') {
      return objectType(isResource ? withObjectMeta(schema) : schema, name);
    }
    const value = nested(additional, `${name}.@elem`);
    return value === undefined ? undefined : mapOf(types.string, value);
  }
  return schema.type === 'string' ? (stringTypes[schema.format ?? ''] ?? types.string) : scalarTypes[schema.type ?? ''];
}

const nested = (schema: JsonSchemaProps, name: string): Type | undefined =>
  declarationOf(schema, schema['x-kubernetes-embedded-resource'] === true, name);
