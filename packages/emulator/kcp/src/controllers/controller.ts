import type { World } from '../world.js';
import type { LogicalCluster } from '../logical-cluster.js';

/** What controllers work with. */
export interface ControllerHost {
  readonly world: World;
  /** Metadata time of now. */
  timestamp(): string;
  /** Looks at something again, in a later turn. */
  enqueue(key: WorkKey): void;
}

export type WorkKind = 'workspace' | 'logicalcluster' | 'export' | 'binding' | 'slice' | 'claims';

/** One thing to bring in order. Empty name: what the kind is about is the cluster itself. */
export interface WorkKey {
  readonly kind: WorkKind;
  readonly cluster: string;
  readonly name: string;
}

/** Writes of controllers say that kcp made them. */
export const BY_KCP = { fieldManager: 'kcp' } as const;

export const STATUS_BY_KCP = { subresource: 'status', fieldManager: 'kcp' } as const;

export interface Sync {
  (host: ControllerHost, cluster: LogicalCluster, name: string): void;
}
