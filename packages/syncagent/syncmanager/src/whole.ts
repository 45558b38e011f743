import type { Engagements } from './engagements.js';
import type { RunningSync } from './running-sync.js';

/** Whether a sync sees every object that the endpoints of the slice show: each can be read, and the sync has all of them in which a workspace has bound the export. */
export function isWhole(running: RunningSync, engagements: Engagements): boolean {
  return (
    engagements.complete &&
    engagements.ready.every(({ url, workspaces }) => workspaces.isUnbound || running.isEngaged(url))
  );
}

/** Endpoints at which objects may have our finalizer, and which the slice does not have: it is being made anew, or a shard is lost. Not those whose workspaces have moved to others. */
export function missingEndpoints(running: RunningSync, engagements: Engagements): readonly string[] {
  running.forgetMoved((cluster) => engagements.shows(cluster));
  return running.endpoints.filter((url) => !engagements.isAt(url));
}
