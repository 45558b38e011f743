import type { World } from '../world.js';
import type { LogicalCluster } from '../logical-cluster.js';

/** Services for controllers. */
export interface ControllerHost {
  readonly world: World;
  /** Current time for metadata. */
  timestamp(): string;
  /** Queues a key for a later turn. */
  enqueue(key: WorkKey): void;
}

export type WorkKind = 'workspace' | 'logicalcluster' | 'export' | 'binding' | 'slice' | 'claims';

/** A key to reconcile. Empty name: the cluster itself. */
export interface WorkKey {
  readonly kind: WorkKind;
  readonly cluster: string;
  readonly name: string;
}

/** Controllers write as kcp. */
export const BY_KCP = { fieldManager: 'kcp' } as const;

export const STATUS_BY_KCP = { subresource: 'status', fieldManager: 'kcp' } as const;

export interface Sync {
  (host: ControllerHost, cluster: LogicalCluster, name: string): void;
}
