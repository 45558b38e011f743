import type { SimCluster } from './sim-cluster.js';

/** What processes send requests to: a cluster, or kcp. */
export type SimServer = Pick<SimCluster, 'name' | 'up' | 'date' | 'serve'>;
