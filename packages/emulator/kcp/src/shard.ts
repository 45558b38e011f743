import { Store, WatchHub } from '@hawser/apiserver';
import { base36Sha224 } from './hash.js';
import { ClusterChanges, ClusterStore } from './store/cluster-store.js';

/** Logical clusters whose objects are in one store and have revisions in common. Each shard has virtual workspaces of its own. */
export class Shard {
  readonly store: Store;
  /** Of the whole store, for watches through the wildcard. */
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
