import type { UnstructuredObject } from '@hawser/client';
import type { JsonObject, JsonValue } from '@hawser/json';

import type { Path } from './difference.js';

/** `object` with a null at `path`, for a merge patch that deletes the field. */
export function deepAssign(object: JsonObject, path: Path): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return object;
  const child = Object.hasOwn(object, head) ? object[head] : undefined;
  const base = typeof child === 'object' && child !== null && !Array.isArray(child) ? (child as JsonObject) : {};
  return Object.fromEntries([
    ...Object.entries(object).filter(([key]) => key !== head),
    [head, rest.length === 0 ? null : deepAssign(base, rest)],
  ]);
}

/** The value of an object at `path`; undefined: none. */
export function valueAt(object: UnstructuredObject, path: Path): JsonValue | undefined {
  let node: unknown = object;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node as JsonValue | undefined;
}
