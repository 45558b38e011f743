import { type JsonValue, clone } from '@hawser/json';
import { getOwn, isObject, setOwn } from './own.js';
import type { StructuralSchema } from './structural-schema.js';

/**
 * Applies defaults, in place, to fields that are missing, or `null` where the schema forbids it. Never replaces the
 * object itself.
 */
export function applyDefaults(value: unknown, schema: StructuralSchema | undefined): void {
  if (schema?.features.defaults !== true) return;
  if (Array.isArray(value)) {
    const items = value as JsonValue[];
    items.forEach((item, index) => {
      if (isDefaultable(item, schema.items)) items[index] = clone(schema.items.default);
      applyDefaults(items[index], schema.items);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const [key, property] of schema.properties) {
    if (property.default === undefined) continue;
    const present = getOwn(value, key);
    if (present === undefined || (present === null && !property.nullable)) setOwn(value, key, clone(property.default));
  }
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const key of Object.keys(value)) {
    const property = schema.properties.get(key);
    if (property !== undefined) applyDefaults(value[key], property);
    else if (additional !== undefined) {
      if (isDefaultable(value[key], additional)) setOwn(value, key, clone(additional.default));
      applyDefaults(value[key], additional);
    }
  }
}

const isDefaultable = (
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
): schema is StructuralSchema & { readonly default: JsonValue } =>
  value === null && schema !== undefined && !schema.nullable && schema.default !== undefined;
