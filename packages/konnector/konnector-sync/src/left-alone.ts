import { equal, isObject, type JsonObject, type JsonValue } from '@hawser/json';

import type { Path } from './difference.js';
import { type Wanted, valueAt } from './wanted.js';

/**
 * `wanted` with the values of `actual` at these paths: they do not differ, and a write keeps them. A path into a list
 * has no effect.
 */
export function leavingAlone(wanted: Wanted, actual: Wanted, paths: readonly Path[]): Wanted {
  return paths.reduce((result, path) => change(result, path, valueAt(actual, path)), wanted);
}

/** `wanted` without the values at these paths. */
export function without(wanted: Wanted, paths: readonly Path[]): Wanted {
  return paths.reduce((result, path) => change(result, path, undefined), wanted);
}

/** Selects the `wrong` paths whose wanted value has not changed: a writer on the provider changed them. */
export function driftedPaths(wrong: readonly Path[], wanted: Wanted, before: Wanted): readonly Path[] {
  return wrong.filter((path) => {
    const was = valueAt(before, path);
    const is = valueAt(wanted, path);
    return was !== undefined && is !== undefined && equal(was, is);
  });
}

function change(wanted: Wanted, path: Path, value: JsonValue | undefined): Wanted {
  const [first, section = '', key = ''] = path;
  if (first !== 'metadata') return { ...wanted, fields: put(wanted.fields, path, value) };
  if (section !== 'labels' && section !== 'annotations') return wanted;
  return { ...wanted, [section]: put(wanted[section], [key], value) };
}

/** `object` with `value` at `path`, or without a value there. Values on the way that are not objects stay. */
function put(object: JsonObject, path: Path, value: JsonValue | undefined): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return object;
  const child = Object.hasOwn(object, head) ? object[head] : undefined;
  if (rest.length > 0) {
    if (child === undefined ? value === undefined : !isObject(child)) return object;
    return assign(object, head, put(child === undefined ? {} : (child as JsonObject), rest, value));
  }
  return assign(object, head, value);
}

function assign(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const others = Object.entries(object).filter(([other]) => other !== key);
  return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
}
