import type { Resource } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';

import type { Holder } from './related-uses.js';

/** What a sync has to do with objects that other syncs may have to do with, too. */
export interface Neighbour {
  /** Whether it has a copy of this published object, or may have one. */
  holds(resource: Resource, object: ClusterKey): boolean;
  /** Whether a primary of it has this related object (`originalId`, `copyId`) and is not about to give it up. */
  has(thing: string): boolean;
  /** What it has in a place (`copyId`) of a related copy. */
  holders(place: string): readonly Holder[];
}

/**
 * The syncs of one agent. An object in a workspace bears one finalizer for all of them, so that the last one takes it away: published by one PublishedResource it may be
 * related to objects of another, or be related to objects of both. What nobody has looked at since the start is not known; then the finalizer comes back with the first look.
 */
export interface Neighbours {
  /** Returns the end of it. */
  join(neighbour: Neighbour): () => void;
  besides(neighbour: Neighbour): readonly Neighbour[];
}

export function createNeighbours(): Neighbours {
  const all = new Set<Neighbour>();
  return {
    join(neighbour) {
      all.add(neighbour);
      return () => {
        all.delete(neighbour);
      };
    },
    besides: (neighbour) => [...all].filter((other) => other !== neighbour),
  };
}
