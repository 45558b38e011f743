import { isObject, type JsonValue } from '@hawser/json';
import { isList, ownValue } from './entries.js';
import type { ListType } from './field-type.js';
import { type KeyField, type PathElement, item } from './path-element.js';

/** The name of an item in an associative list, or why it has none. */
export type ItemName = { readonly element: PathElement } | { readonly problem: string };

export function nameOfItem(list: ListType, value: JsonValue): ItemName {
  if (list.relationship !== 'associative') return { problem: 'invalid indexing of non-associative list' };
  return list.keys.length > 0 ? nameByKeys(list, value) : nameByValue(value);
}

function nameByKeys(list: ListType, value: JsonValue): ItemName {
  if (value === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isObject(value)) return { problem: 'associative list with keys may not have non-map elements' };
  const keys: KeyField[] = [];
  for (const name of list.keys) {
    const key = ownValue(value, name) ?? list.items.map?.fields.get(name)?.default;
    if (key !== undefined) keys.push({ name, value: key });
  }
  if (keys.length > 0) return { element: item(...keys) };
  return {
    problem: `associative list with keys has an element that omits all key fields [${list.keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`,
  };
}

function nameByValue(value: JsonValue): ItemName {
  if (value === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (isList(value)) return { problem: 'not supported: associative list with lists as elements' };
  if (isObject(value)) return { problem: "associative list without keys has an element that's a map type" };
  return { element: { kind: 'value', value } };
}
