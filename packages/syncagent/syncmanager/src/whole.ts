import type { Engagements } from './engagements.js';
import type { RunningSync } from './running-sync.js';

/** Whether a sync sees all objects of the slice: it has every endpoint with bound workspaces, and all are readable. */
export function isWhole(running: RunningSync, engagements: Engagements): boolean {
  return (
    engagements.complete &&
    engagements.ready.every(({ url, workspaces }) => workspaces.isUnbound || running.isEngaged(url))
  );
}

/**
 * Endpoints outside the slice whose objects may have our finalizer: the slice is being recreated, or a shard is lost.
 * Excludes endpoints whose workspaces have all moved to others.
 */
export function missingEndpoints(running: RunningSync, engagements: Engagements): readonly string[] {
  running.forgetMoved((cluster) => engagements.shows(cluster));
  return running.endpoints.filter((url) => !engagements.isAt(url));
}
