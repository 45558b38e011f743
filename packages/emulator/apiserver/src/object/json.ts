import { isObject, type JsonArray, type JsonObject, type JsonValue, setOwn, stringify } from '@hawser/json';

export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/** An own key: inherited ones are not part of a document. */
export function field(object: JsonObject | undefined, key: string): JsonValue | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

export function objectField(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = field(object, key);
  return isObject(value) ? value : undefined;
}

export function arrayField(object: JsonObject | undefined, key: string): JsonArray {
  const value = field(object, key);
  return isArray(value) ? value : [];
}

/** The objects of a list; skips other items. */
export function objectsField(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  return arrayField(object, key).filter(isObject);
}

/** Empty if absent, as in Go. */
export function stringField(object: JsonObject | undefined, key: string): string {
  const value = field(object, key);
  return typeof value === 'string' ? value : '';
}

export function booleanField(object: JsonObject | undefined, key: string): boolean {
  return field(object, key) === true;
}

export function numberField(object: JsonObject | undefined, key: string): number | undefined {
  const value = field(object, key);
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined;
}

export function stringsField(object: JsonObject | undefined, key: string): readonly string[] {
  return arrayField(object, key).filter((item) => typeof item === 'string');
}

/** The strings of a map. */
export function stringMap(object: JsonObject | undefined, key: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of Object.entries(objectField(object, key) ?? {}))
    if (typeof value === 'string') map.set(name, value);
  return map;
}

/** A copy with `key` set, or removed if the value is undefined. `__proto__` is an ordinary key. */
export function withField(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined) return withoutFields(object, key);
  const copy = { ...object };
  setOwn(copy, key, value);
  return copy;
}

/** A copy with several keys set, or removed if the value is undefined. */
export function withFields(object: JsonObject, change: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const removed = Object.keys(change).filter((key) => change[key] === undefined);
  const copy: Record<string, JsonValue | undefined> = { ...withoutFields(object, ...removed) };
  for (const key of Object.keys(change)) {
    const value = change[key];
    if (value !== undefined) setOwn(copy, key, value);
  }
  return copy;
}

/** A copy without `keys`; the object itself if it has none of them. */
export function withoutFields(object: JsonObject, ...keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  // Rebuilt: an object with a deleted key stays slow.
  const copy: Record<string, JsonValue | undefined> = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined && !keys.includes(name)) setOwn(copy, name, value);
  }
  return copy;
}

/** The value at a path of keys. */
export function at(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = field(value, key);
  }
  return value;
}

/** A copy with the value at a path of keys set, creating objects on the way; removed if undefined. */
export function withAt(object: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return withField(object, key, value);
  const child = objectField(object, key);
  if (child === undefined && value === undefined) return object;
  return withField(object, key, withAt(child ?? {}, rest, value));
}

/** Text of a stored object or a view of one. Encoded once for all readers: such an object never changes. */
export function textOfStored(object: JsonObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = stringify(object);
    texts.set(object, text);
  }
  return text;
}

const texts = new WeakMap<JsonObject, string>();

/** Length in bytes of UTF-8, as Go counts. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
