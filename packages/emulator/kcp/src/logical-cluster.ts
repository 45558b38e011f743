import type { Objects, PersonalServer } from '@hawser/apiserver';
import type { BoundTypes } from './bound-types.js';
import type { Shard } from './shard.js';
import type { ClusterStore } from './store/cluster-store.js';

/** One logical cluster: an API server over its part of a shard. */
export interface LogicalCluster {
  /** Name of the logical cluster: `root`, or made of random letters. */
  readonly name: string;
  /** `root:org:team`. */
  readonly path: string;
  readonly shard: Shard;
  readonly server: PersonalServer<ClusterStore>;
  readonly objects: Objects;
  readonly bound: BoundTypes;
}
