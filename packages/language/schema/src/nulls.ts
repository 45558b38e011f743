import { deleteOwn, isObject } from './own.js';
import { type StructuralSchema, schemaOfKey } from './structural-schema.js';

/** Drops, in place, each `null` field that the schema forbids and has no default for. */
export function dropNulls(value: unknown, schema: StructuralSchema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[])
      if (typeof item === 'object' && item !== null) dropNulls(item, schema?.items);
    return;
  }
  if (!isObject(value) || schema === undefined) return;
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field === null) {
      const ofKey = schemaOfKey(schema, key);
      if (ofKey !== undefined && !ofKey.nullable && ofKey.default === undefined) deleteOwn(value, key);
    } else if (typeof field === 'object') dropNulls(field, schemaOfKey(schema, key));
  }
}
