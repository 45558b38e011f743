import type { Hosts } from '@hawser/client';
import { type Controller, createController } from '@hawser/controller';
import type { APIExportEndpointSlice } from '@hawser/kcp-api';
import type { Agent, Discover } from '@hawser/publication';
import type { Engagement, PublishedKinds, Sync } from '@hawser/syncagent-sync';
import type { ClusterNames } from './caches.js';
import { Manager } from './manager.js';
import type { SyncFactory } from './sync-factory.js';

export interface SyncmanagerOptions {
  readonly agent: Agent;
  /** Name of the APIExportEndpointSlice in the workspace `endpoints`. */
  readonly endpointSlice: string;
  /** As it was read just now, so that the start need not wait for its watch. */
  readonly located?: APIExportEndpointSlice | undefined;
  /** The hosts of the kcp, whose pools and credentials all virtual workspaces share. Stay the caller's. */
  readonly hosts: Hosts;
  readonly discover: Discover;
  readonly createSync: SyncFactory;
  /** Annotations of a PublishedResource that its sync depends on: when one changes, the sync is replaced. */
  readonly annotations?: readonly string[] | undefined;
  /** Aborts when this process may write no more. */
  readonly mayWrite?: AbortSignal | undefined;
}

/** The controller, and what runs in it. */
export interface Syncmanager extends Controller<ClusterNames> {
  /** The sync of a PublishedResource, if one runs. */
  syncOf(publishedResource: string): Sync | undefined;
  readonly engagements: readonly Engagement[];
  /** Those that have a sync; of one that was deleted, as long as its objects are let go. */
  readonly publications: readonly Publication[];
  /** Writes what there is to tell at once, and not only after a while. */
  report(): void;
}

/** A PublishedResource with its sync. */
export interface Publication {
  readonly publishedResource: string;
  readonly kinds: PublishedKinds;
  readonly sync: Sync;
}

const name = 'syncagent-syncmanager';

/**
 * One engagement for each endpoint of the slice, and one sync for each PublishedResource (`spec/api-syncagent.md §10.3`): replaced when what it was made of
 * changes, stopped when the PublishedResource goes, is switched off or not selected any more.
 */
export function createSyncmanager(options: SyncmanagerOptions): Syncmanager {
  let manager: Manager | undefined;
  const controller = createController<ClusterNames>(name, (ctx, scope) => {
    manager = new Manager(options, ctx, scope);
    return manager.open();
  });
  return {
    name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    syncOf: (publishedResource) => manager?.syncOf(publishedResource),
    get engagements() {
      return manager?.engagements ?? [];
    },
    get publications() {
      return manager?.publications ?? [];
    },
    report: () => manager?.report(),
  };
}
