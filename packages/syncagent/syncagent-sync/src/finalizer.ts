import type { KubeObject } from '@hawser/client';
import { clusterNameOf } from '@hawser/kcp-api';

import { CLEANUP_FINALIZER } from './marks.js';

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;
}

/** Counts the objects with our finalizer, by logical cluster. */
export function holdersOf(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const holders = new Map<string, number>();
  for (const object of objects.filter(hasFinalizer)) {
    const cluster = clusterNameOf(object) ?? '';
    holders.set(cluster, (holders.get(cluster) ?? 0) + 1);
  }
  return holders;
}
