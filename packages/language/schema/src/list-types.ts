import { type JsonValue, canonical } from '@hawser/json';
import type { FieldError } from './field-error.js';
import { duplicate, invalid } from './field-errors.js';
import { childPath, indexPath, keyPath } from './field-path.js';
import { type MutableObject, getOwn, isObject, setOwn } from './own.js';
import type { StructuralSchema } from './structural-schema.js';

/**
 * Duplicate items in lists with `x-kubernetes-list-type: set`, or duplicate keys in those of type `map`. Reports each
 * once, at its second occurrence.
 */
export function validateListTypes(
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
  path = '',
): FieldError[] {
  if (schema?.features.listTypes !== true) return [];
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return [
      ...listErrors(items, schema, path),
      ...items.flatMap((item, index) => validateListTypes(item, schema.items, indexPath(path, index))),
    ];
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const property = schema.properties.get(key);
    const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    return property === undefined
      ? validateListTypes(value[key], additional, keyPath(path, key))
      : validateListTypes(value[key], property, childPath(path, key));
  });
}

function listErrors(items: readonly JsonValue[], schema: StructuralSchema, path: string): FieldError[] {
  switch (schema.listType) {
    case 'set':
      return secondAppearances(items.map((item) => (typeof item === 'string' ? `"${item}` : canonical(item)))).map(
        (index) => duplicate(indexPath(path, index), items[index] ?? null),
      );
    case 'map':
      return mapErrors(items, schema.listMapKeys, path);
    case 'atomic':
    case undefined:
      return [];
  }
}

function mapErrors(items: readonly JsonValue[], keyNames: readonly string[], path: string): FieldError[] {
  const strange = items.findIndex((item) => item !== null && !isObject(item));
  if (strange >= 0)
    return [
      invalid(indexPath(path, strange), items[strange] ?? null, 'must be an object for an array of list-type map'),
    ];
  const seconds = secondAppearances(items.map((item) => keyText(item, keyNames)));
  return seconds.map((index) => duplicate(indexPath(path, index), keysOf(items[index] ?? null, keyNames)));
}

/** Differs if the keys differ. */
function keyText(item: JsonValue, names: readonly string[]): string {
  return names
    .map((name) => {
      const key = isObject(item) ? getOwn(item, name) : undefined;
      return key === undefined ? '' : typeof key === 'string' ? JSON.stringify(key) : canonical(key);
    })
    .join();
}

function keysOf(item: JsonValue, names: readonly string[]): JsonValue {
  const keys: MutableObject = {};
  for (const name of names) {
    const key = isObject(item) ? getOwn(item, name) : undefined;
    if (key !== undefined) setOwn(keys, name, key);
  }
  return keys;
}

function secondAppearances(texts: readonly string[]): number[] {
  const seen = new Map<string, number>();
  const repeated: number[] = [];
  for (const [index, text] of texts.entries()) {
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) repeated.push(index);
  }
  return repeated;
}
