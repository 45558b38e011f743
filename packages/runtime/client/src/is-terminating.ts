import type { KubeObject } from './object.js';

/** Whether an object is being deleted. It stays until its last finalizer is removed, and accepts no new one. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
