import { clone } from './clone.js';
import { MAX_DEPTH, TooDeepError } from './depth.js';
import { equal } from './equal.js';
import { type Fields, getOwn, isFields, setOwn } from './own.js';
import type { JsonValue } from './value.js';

/**
 * Computes the smallest JSON merge patch (RFC 7386) from `from` to `to`; `undefined` if nothing changes. Replaces
 * arrays whole.
 *
 * A merge patch cannot set a field to `null`: a field that is `null` only in `to` is absent after the patch. The patch
 * shares no structure with its arguments. Throws a {@link TooDeepError}.
 */
export function createMergePatch(from: unknown, to: unknown): JsonValue | undefined {
  return difference(from, to, MAX_DEPTH);
}

function difference(from: unknown, to: unknown, left: number): JsonValue | undefined {
  if (left < 0) throw new TooDeepError();
  if (!isFields(from) || !isFields(to)) return equal(from, to) ? undefined : (clone(to) as JsonValue);
  const patch: Fields = {};
  let changes = 0;
  const add = (key: string, value: unknown): void => {
    setOwn(patch, key, value);
    changes++;
  };
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && getOwn(to, key) === undefined) add(key, null);
  }
  for (const key of Object.keys(to)) {
    const after = to[key];
    if (after === undefined) continue;
    const change = difference(getOwn(from, key), after, left - 1);
    if (change !== undefined) add(key, change);
  }
  return changes === 0 ? undefined : (patch as JsonValue);
}

/**
 * Applies a JSON merge patch (RFC 7386). Returns a new value that shares nothing with the arguments, and leaves these
 * unchanged. Throws a {@link TooDeepError}.
 */
export function applyMergePatch(target: unknown, patch: unknown): JsonValue {
  return apply(target, patch, MAX_DEPTH) as JsonValue;
}

function apply(target: unknown, patch: unknown, left: number): unknown {
  if (left < 0) throw new TooDeepError();
  if (!isFields(patch)) return clone(patch);
  const result: Fields = isFields(target) ? clone(target) : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    if (change === null) Reflect.deleteProperty(result, key);
    else setOwn(result, key, apply(getOwn(result, key), change, left - 1));
  }
  return result;
}
