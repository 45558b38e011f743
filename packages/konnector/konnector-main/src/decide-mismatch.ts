import type { IdentityMismatch } from './conditions.js';
import type { Identities } from './identity-pins.js';

/** Everything that says whether an object is bound to the clusters that were found. */
export interface PlacesObserved {
  /** `APIServiceBinding databases` */
  readonly object: string;
  /** The clusters that it is bound to. */
  readonly bound: Identities;
  /** This cluster, and the one that the connection leads to; undefined: not known. */
  readonly found: Identities;
  /** Of the connection. */
  readonly clusterNamespace: string | undefined;
}

/** Whether a cluster is known to be another than the one that is expected. Pure. */
export function isElsewhere(expected: string | undefined, found: string | undefined): boolean {
  return expected !== undefined && found !== undefined && expected !== found;
}

/** Which of its clusters is another one; an object in another consumer is told that alone. What is not known is not a mismatch. Pure. */
export function decideMismatch({
  object,
  bound,
  found,
  clusterNamespace,
}: PlacesObserved): IdentityMismatch | undefined {
  if (isElsewhere(bound.consumer, found.consumer))
    return { side: 'consumer', object, expected: bound.consumer ?? '', found: found.consumer ?? '' };
  if (isElsewhere(bound.provider, found.provider))
    return { side: 'provider', object, expected: bound.provider ?? '', found: found.provider ?? '', clusterNamespace };
  return undefined;
}
