import { isObject, type JsonValue } from '@hawser/json';
import { entriesOf, isList } from './entries.js';
import type { FieldSet } from './field-set.js';
import { type FieldType, type ListType, type MapType, defaultShape, shapeOf, typeOfKey } from './field-type.js';
import { nameOfItem } from './list-items.js';
import { field } from './path-element.js';

/** A value without certain fields and items. One that loses everything becomes null. */
export function removeFields(value: JsonValue, fields: FieldSet, type: FieldType): JsonValue {
  if (fields.isEmpty) return value;
  const shape = shapeOf(type, value) ?? defaultShape(type);
  if (shape === 'list' && type.list !== undefined) return removeItems(value, fields, type.list);
  if (shape === 'map' && type.map !== undefined) return removeKeys(value, fields, type.map);
  return value;
}

function removeItems(value: JsonValue, fields: FieldSet, list: ListType): JsonValue {
  if (!isList(value) || list.relationship === 'atomic') return null;
  const kept: JsonValue[] = [];
  for (const child of value) {
    const name = nameOfItem(list, child);
    if ('problem' in name) kept.push(child);
    else if (!fields.hasElement(name.element)) kept.push(removeFields(child, fields.below(name.element), list.items));
  }
  return kept.length === 0 ? null : kept;
}

function removeKeys(value: JsonValue, fields: FieldSet, map: MapType): JsonValue {
  if (!isObject(value) || map.atomic) return null;
  const kept: [string, JsonValue][] = [];
  for (const [key, child] of entriesOf(value)) {
    const element = field(key);
    if (!fields.hasElement(element))
      kept.push([key, removeFields(child, fields.below(element), typeOfKey(map, key) ?? {})]);
  }
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
