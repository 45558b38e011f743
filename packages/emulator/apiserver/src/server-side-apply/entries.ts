import type { JsonObject, JsonValue } from '@hawser/json';

/** Whether a value is a JSON list. (`Array.isArray` does not narrow to a readonly array.) */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value of an own key; `__proto__` and `constructor` are ordinary keys. */
export function ownValue(object: JsonObject | undefined, key: string): JsonValue | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Own keys with a value, in order. */
export function entriesOf(object: JsonObject): [string, JsonValue][] {
  const entries: [string, JsonValue][] = [];
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== undefined) entries.push([key, value]);
  }
  return entries;
}

/** An object without one of its keys; the object itself if it lacks that key. */
export function without(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const copy: Record<string, JsonValue> = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (name !== key && value !== undefined) setOwn(copy, name, value);
  }
  return copy;
}

/** An object with one key set. Assigning `__proto__` would set the prototype instead. */
export function withKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  const copy = { ...object };
  setOwn(copy, key, value);
  return copy;
}

function setOwn(object: Record<string, JsonValue | undefined>, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
