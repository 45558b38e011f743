import type { IdentityMismatch } from './conditions.js';
import type { Identities } from './identity-pins.js';

/** Input for the check whether an object is bound to the clusters found. */
export interface ClustersObserved {
  /** `APIServiceBinding databases` */
  readonly object: string;
  /** The clusters it is bound to. */
  readonly bound: Identities;
  /** This cluster, and the connection's; undefined: unknown. */
  readonly found: Identities;
  /** Cluster namespace of the connection. */
  readonly clusterNamespace: string | undefined;
}

/** Whether a cluster is known to differ from the expected one. Pure. */
export function isOtherCluster(expected: string | undefined, found: string | undefined): boolean {
  return expected !== undefined && found !== undefined && expected !== found;
}

/** Decides which of its clusters differs. In another consumer, only that is reported. Unknown is no mismatch. Pure. */
export function decideMismatch({
  object,
  bound,
  found,
  clusterNamespace,
}: ClustersObserved): IdentityMismatch | undefined {
  if (isOtherCluster(bound.consumer, found.consumer))
    return { side: 'consumer', object, expected: bound.consumer ?? '', found: found.consumer ?? '' };
  if (isOtherCluster(bound.provider, found.provider))
    return { side: 'provider', object, expected: bound.provider ?? '', found: found.provider ?? '', clusterNamespace };
  return undefined;
}
