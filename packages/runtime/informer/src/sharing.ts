import type { KubeObject } from '@hawser/client';
import { setOwn } from '@hawser/json';

import { isSameContent } from './same-content.js';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that identify the object and its version. */
const own: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Returns the same object with its own parts (`spec`, `status`, any top-level field) replaced by equal parts of `like`.
 * Two caches, or two versions, then hold these parts once, and comparing them takes no time. Frozen like the objects of
 * a cache.
 */
export function sharing<T extends KubeObject>(object: T, like: KubeObject): T {
  const mine = object as unknown as Fields;
  const theirs = like as unknown as Fields;
  const shared = Object.keys(mine).filter(
    (key) =>
      mine[key] !== theirs[key] &&
      !own.has(key) &&
      isSpacious(mine[key]) &&
      Object.hasOwn(theirs, key) &&
      isSameContent(mine[key], theirs[key]),
  );
  if (shared.length === 0) return object;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(mine)) setOwn(result, key, (shared.includes(key) ? theirs : mine)[key]);
  return Object.freeze(result) as unknown as T;
}

function isSpacious(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
