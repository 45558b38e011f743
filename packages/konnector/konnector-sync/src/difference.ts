import { equal, isObject, type JsonArray, type JsonObject, type JsonValue } from '@hawser/json';

/** Keys from the root of an object to a value inside it. Does not enter lists. */
export type Path = readonly string[];

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

/** Differences between an actual and the wanted value. */
export interface Difference {
  /** Paths at which a wanted value is missing or different. */
  readonly wrong: readonly Path[];
  /** Paths of unwanted actual values: a key, or a list whose elements hold more than was wanted. */
  readonly extra: readonly Path[];
}

/**
 * Compares the wanted with the actual value. Additions of the other side (defaults, fields of other controllers) are
 * `extra`, not `wrong`. `null` is an ordinary value.
 */
export function differenceOf(wanted: JsonObject, actual: JsonObject): Difference {
  const wrong: Path[] = [];
  const extra: Path[] = [];
  compare(wanted, actual, [], wrong, extra);
  return { wrong, extra };
}

function compare(wanted: JsonObject, actual: JsonObject, at: Path, wrong: Path[], extra: Path[]): void {
  for (const key of Object.keys(wanted)) {
    const want = wanted[key];
    if (want === undefined) continue;
    const is = own(actual, key);
    if (is === undefined) wrong.push([...at, key]);
    else if (want === is) continue;
    else if (isObject(want) && isObject(is)) compare(want, is, [...at, key], wrong, extra);
    else if (Array.isArray(want) && Array.isArray(is))
      compareLists(want as JsonArray, is as JsonArray, [...at, key], wrong, extra);
    else wrong.push([...at, key]);
  }
  for (const key of Object.keys(actual)) {
    if (actual[key] !== undefined && own(wanted, key) === undefined) extra.push([...at, key]);
  }
}

function compareLists(wanted: JsonArray, actual: JsonArray, at: Path, wrong: Path[], extra: Path[]): void {
  if (equal(wanted, actual)) return;
  if (wanted.length !== actual.length || !wanted.every((want, index) => covers(actual[index], want))) wrong.push(at);
  else extra.push(at);
}

/** Whether `is` has everything of `want`, at every depth. */
function covers(is: JsonValue | undefined, want: JsonValue): boolean {
  if (want === is) return true;
  if (is === undefined) return false;
  if (isObject(want)) {
    return (
      isObject(is) &&
      Object.keys(want).every((key) => {
        const value = want[key];
        return value === undefined || covers(own(is, key), value);
      })
    );
  }
  if (Array.isArray(want)) {
    return (
      Array.isArray(is) &&
      want.length === is.length &&
      (want as JsonArray).every((value, index) => covers((is as JsonArray)[index], value))
    );
  }
  return false;
}

/**
 * `actual` with everything wanted put in and `remove` taken out: the result of a write that loses nothing of others.
 */
export function overlay(wanted: JsonObject, actual: JsonObject, remove: readonly Path[]): JsonObject {
  const merged = merge(wanted, actual);
  return remove.reduce<JsonObject>((object, path) => without(object, path, wanted), merged);
}

function merge(wanted: JsonObject, actual: JsonObject): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(actual)) if (value !== undefined) entries.set(key, value);
  for (const [key, want] of Object.entries(wanted)) {
    if (want === undefined) continue;
    const is = entries.get(key);
    if (is !== undefined && isObject(want) && isObject(is)) entries.set(key, merge(want, is));
    // Keeps a list that has everything wanted and more inside its elements: the provider added the rest.
    else if (is !== undefined && Array.isArray(want) && covers(is, want)) entries.set(key, is);
    else entries.set(key, want);
  }
  return Object.fromEntries(entries);
}

/** Removes the value at `path`; a list there gets its wanted value. */
function without(object: JsonObject, path: Path, wanted: JsonObject): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined || own(object, head) === undefined) return object;
  const want = own(wanted, head);
  const entries = Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  if (rest.length === 0) {
    return Object.fromEntries(
      entries.flatMap(([key, value]): [string, JsonValue][] =>
        key !== head ? [[key, value]] : want === undefined ? [] : [[key, want]],
      ),
    );
  }
  return Object.fromEntries(
    entries.map(([key, value]): [string, JsonValue] => {
      if (key !== head || !isObject(value)) return [key, value];
      return [key, without(value, rest, want !== undefined && isObject(want) ? want : {})];
    }),
  );
}

/** Whether `null` occurs at any depth: a merge patch would delete the field instead of setting it. */
export function containsNull(value: JsonValue | undefined): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return (value as JsonArray).some(containsNull);
  return value !== undefined && isObject(value) && Object.values(value).some(containsNull);
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
