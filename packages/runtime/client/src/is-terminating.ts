import type { KubeObject } from './object.js';

/** Whether somebody has asked for its deletion: it stays until its last finalizer is taken away, and a new one can no longer be added. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
