import { equal, isObject, type JsonArray, type JsonObject, type JsonValue } from '@hawser/json';

/** Keys from the root of an object to a value inside it. Lists are not entered. */
export type Path = readonly string[];

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

/** How an actual value differs from the wanted one. */
export interface Difference {
  /** Paths at which something wanted is missing or another value stands. */
  readonly wrong: readonly Path[];
  /** Paths at which the actual value has something that is not wanted: a key, or a list with elements that hold more than was wanted. */
  readonly extra: readonly Path[];
}

/**
 * Compares what is wanted with what is there. What the other side adds (defaults, fields of other controllers) is `extra`, not `wrong`.
 * `null` is a value like any other.
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

/** Whether `is` has all that `want` has, at every depth. */
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
 * `actual` with everything wanted put in and `remove` taken out: what a write must leave behind so that nothing of others is lost.
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
    // A list that has all that is wanted, and more inside its elements, stays: the rest was added by the provider.
    else if (is !== undefined && Array.isArray(want) && covers(is, want)) entries.set(key, is);
    else entries.set(key, want);
  }
  return Object.fromEntries(entries);
}

/** Removes what stands at `path`; a list there is put back as it was wanted. */
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

/** Whether `null` occurs at any depth: a merge patch would delete instead of setting it. */
export function containsNull(value: JsonValue | undefined): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return (value as JsonArray).some(containsNull);
  return value !== undefined && isObject(value) && Object.values(value).some(containsNull);
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
