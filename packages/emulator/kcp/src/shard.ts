import { Store, WatchHub } from '@hawser/apiserver';
import { base36Sha224 } from './hash.js';
import { ClusterChanges, ClusterStore } from './store/cluster-store.js';

/** Logical clusters that share one store and its revisions. Each shard has its own virtual workspaces. */
export class Shard {
  readonly store: Store;
  /** Over the whole store, for wildcard watches. */
  readonly watches: WatchHub;
  /** Short name in annotations of workspaces. */
  readonly hash: string;
  readonly #changes: ClusterChanges;

  constructor(
    readonly name: string,
    history?: number,
  ) {
    this.store = new Store({ history });
    this.watches = new WatchHub(this.store);
    this.#changes = new ClusterChanges(this.store);
    this.hash = base36Sha224(name).slice(0, 8);
  }

  clusterStore(cluster: string): ClusterStore {
    return new ClusterStore(this.store, this.#changes, cluster);
  }
}
