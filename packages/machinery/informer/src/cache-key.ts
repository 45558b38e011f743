import { type KubeObject, type ObjectKey, objectKey } from '@hawser/client';
import type { CacheKey } from './informer.js';

export function toCacheKey(key: CacheKey | ObjectKey): CacheKey {
  return typeof key === 'string' ? key : objectKey(key);
}

/** Whether both are known to be different objects, although they may have the same name. */
export function isAnother(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid !== undefined && b.metadata.uid !== undefined && a.metadata.uid !== b.metadata.uid;
}
