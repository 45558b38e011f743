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
  /** Slice from a recent read: the start does not wait for its watch. */
  readonly located?: APIExportEndpointSlice | undefined;
  /** Hosts of the kcp; all virtual workspaces share their pools and credentials. The caller keeps ownership. */
  readonly hosts: Hosts;
  readonly discover: Discover;
  readonly createSync: SyncFactory;
  /** Annotations of a PublishedResource that its sync depends on: a change replaces the sync. */
  readonly annotations?: readonly string[] | undefined;
  /** Aborts when this process must stop writing. */
  readonly mayWrite?: AbortSignal | undefined;
}

/** The controller and its syncs. */
export interface Syncmanager extends Controller<ClusterNames> {
  /** The running sync of a PublishedResource, if any. */
  syncOf(publishedResource: string): Sync | undefined;
  readonly engagements: readonly Engagement[];
  /** PublishedResources with a sync; deleted ones until their objects are released. */
  readonly publications: readonly Publication[];
  /** Writes pending reports at once. */
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
 * Runs one engagement per endpoint of the slice and one sync per PublishedResource (`spec/api-syncagent.md §10.3`).
 * Replaces a sync when its input changes. Stops it when the PublishedResource is deleted, switched off or no longer
 * selected.
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
