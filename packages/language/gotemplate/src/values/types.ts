import { isTemplateFunction } from '../template-function.js';
import { GoNumber, numberView } from './go-number.js';
import { GoObject } from './go-object.js';
import type { GoList, GoMap, GoValue } from './go-value.js';

// Element types other than `interface {}`. Kept beside the values, which stay plain arrays and objects.
const elementTypes = new WeakMap<object, string>();

/** Marks a new list or map with a Go element type. */
export function withElements<T extends GoList | GoMap>(type: string, value: T): T {
  elementTypes.set(value, type);
  return value;
}

export const stringList = (items: readonly string[]): GoList => withElements('string', [...items]);

// Go's nil lists: empty like others, but null in JSON.
const nilLists = new WeakSet<object>();

/** The nil of a list type. */
export function nilList(type = 'interface {}'): GoList {
  const list = withElements(type, []);
  nilLists.add(list);
  return list;
}

export function isNilList(value: GoValue): boolean {
  return isList(value) && nilLists.has(value);
}

export function elementType(value: GoList | GoMap): string {
  return elementTypes.get(value) ?? 'interface {}';
}

export function isList(value: GoValue): value is GoList {
  return Array.isArray(value);
}

export function isMap(value: GoValue): value is GoMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof GoNumber) &&
    !(value instanceof GoObject) &&
    !isTemplateFunction(value)
  );
}

export function isNil(value: GoValue): value is undefined | null {
  return value === undefined || value === null;
}

/** The name of the Go type, as `%T` prints it. */
export function typeName(value: GoValue): string {
  if (isNil(value)) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  const number = numberView(value);
  if (number !== undefined) return number.type;
  if (value instanceof GoObject) return value.type;
  if (isList(value)) return `[]${elementType(value)}`;
  if (isMap(value)) return `map[string]${elementType(value)}`;
  return 'func()';
}

/** The name of the Go kind, as `kindOf` answers it. */
export function kindName(value: GoValue): string {
  if (isNil(value)) return 'invalid';
  if (value instanceof GoObject) return value.kind;
  if (isList(value)) return 'slice';
  if (isMap(value)) return 'map';
  const type = typeName(value);
  switch (type) {
    case 'func()':
      return 'func';
    case 'time.Duration':
      return 'int64';
    case 'time.Month':
    case 'time.Weekday':
      return 'int';
    default:
      return type;
  }
}

/** Go's truth: everything but the empty value of each kind. */
export function isTrue(value: GoValue): boolean {
  if (isNil(value)) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value !== '';
  const number = numberView(value);
  // NaN is not zero.
  if (number !== undefined) return Number.isNaN(number.value) || Number(number.value) !== 0;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return true;
}

/** An own key; inherited ones are not part of a document. */
export function getKey(map: GoMap, key: string): GoValue {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** An empty map in which every key is ordinary. */
export function newMap(): Record<string, GoValue> {
  return Object.create(null) as Record<string, GoValue>;
}
