import type { Client, Recovery } from '@hawser/client';
import type { SharedInformers, Subscription } from '@hawser/informer';

/**
 * The logical clusters that have bound the export, as one virtual workspace shows them. Each is in only one virtual
 * workspace, even if several show it.
 */
export interface Workspaces {
  has(cluster: string): boolean;
  readonly names: Iterable<string>;
  /** Several virtual workspaces show a logical cluster: this one may show clusters of another. */
  readonly hasOverlaps: boolean;
  /** Path of the workspace (annotation `kcp.io/path` of its LogicalCluster), if known. */
  pathOf(cluster: string): string | undefined;
  /**
   * Calls the listener for each logical cluster that is engaged or disengaged from now on, and for those whose path
   * becomes known.
   */
  onChange(listener: (cluster: string) => void): Subscription;
}

/**
 * One virtual workspace of the export, that is, one shard, shared by all syncs (`spec/api-syncagent.md §4.2`). It
 * outlives every sync that uses it, unless its URL leaves the endpoint slice: then `remove(url)` comes first.
 */
export interface Engagement {
  /** As in the endpoint slice, without `/clusters/…`. Identifies the engagement. */
  readonly url: string;
  /**
   * Watches through `<url>/clusters/*`: one for each resource, shared. The keys of its informers carry the logical
   * cluster of each object (annotation `kcp.io/cluster`).
   */
  readonly informers: SharedInformers;
  /**
   * Returns a client for `<url>/clusters/<cluster>`, on the pool, limits and credentials of the whole kcp. Cheap: no
   * socket of its own.
   */
  clientFor(cluster: string): Client;
  /** Reports when its server answers again after an outage. Absent: not known. */
  readonly recovery?: Recovery | undefined;
  readonly workspaces: Workspaces;
}
