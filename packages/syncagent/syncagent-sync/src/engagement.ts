import type { Client, Recovery } from '@hawser/client';
import type { SharedInformers, Subscription } from '@hawser/informer';

/** Which logical clusters have bound the export, as seen through one virtual workspace. One that several show is in one of them. */
export interface Workspaces {
  has(cluster: string): boolean;
  readonly names: Iterable<string>;
  /** Some logical cluster is shown by several virtual workspaces: what this one shows need not be its own. */
  readonly hasOverlaps: boolean;
  /** Path of the workspace (annotation `kcp.io/path` of its LogicalCluster), where that is known. */
  pathOf(cluster: string): string | undefined;
  /** Told of each logical cluster that is engaged or disengaged from now on, and of those whose path becomes known. */
  onChange(listener: (cluster: string) => void): Subscription;
}

/**
 * One virtual workspace of the export, that is, one shard, as all syncs share it (`spec/api-syncagent.md §4.2`). It outlives every sync that uses it, unless
 * its URL leaves the endpoint slice: then `remove(url)` comes first.
 */
export interface Engagement {
  /** As in the endpoint slice, without `/clusters/…`. Identifies the engagement. */
  readonly url: string;
  /**
   * Watches through `<url>/clusters/*`: one for each resource, whoever asks. The keys of its informers carry the logical cluster of each object
   * (annotation `kcp.io/cluster`).
   */
  readonly informers: SharedInformers;
  /** A client for `<url>/clusters/<cluster>`, on the pool, limits and credentials of the whole kcp. Cheap: no socket of its own. */
  clientFor(cluster: string): Client;
  /** Tells when its server answers again after an outage. Absent: not known. */
  readonly recovery?: Recovery | undefined;
  readonly workspaces: Workspaces;
}
