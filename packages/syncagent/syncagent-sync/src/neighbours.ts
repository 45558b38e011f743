import type { Resource } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';

import type { Holder } from './related-uses.js';

/** A sync's use of objects that other syncs may use, too. */
export interface Neighbour {
  /** Whether it has, or may have, a copy of this published object. */
  holds(resource: Resource, object: ClusterKey): boolean;
  /** Whether a primary of it has this related object (`originalId`, `copyId`) and is not about to give it up. */
  has(thing: string): boolean;
  /** Its holders of the destination of a related copy (`copyId`). */
  holders(copy: string): readonly Holder[];
}

/**
 * The syncs of one agent. They share one finalizer on an object in a workspace, so the last one removes it. An object
 * published by one PublishedResource may be related to objects of another, or an object may be related to objects of
 * both. Objects not looked at since the start are unknown; then the first look puts the finalizer back.
 */
export interface Neighbours {
  /** Adds a sync; returns the function that removes it. */
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
