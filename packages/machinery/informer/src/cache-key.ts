import type { KubeObject, ObjectKey } from '@hawser/client';
import type { CacheKey } from './informer.js';

export function keyOf(object: KubeObject): CacheKey {
  return toCacheKey(object.metadata);
}

export function toCacheKey(key: CacheKey | ObjectKey): CacheKey {
  if (typeof key === 'string') return key;
  return key.namespace === undefined || key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** Whether both are known to be different objects, although they may have the same name. */
export function isAnother(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid !== undefined && b.metadata.uid !== undefined && a.metadata.uid !== b.metadata.uid;
}
