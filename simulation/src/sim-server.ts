import type { SimCluster } from './sim-cluster.js';

/** Target of processes' requests: a cluster, or kcp. */
export type SimServer = Pick<SimCluster, 'name' | 'up' | 'date' | 'serve'>;
