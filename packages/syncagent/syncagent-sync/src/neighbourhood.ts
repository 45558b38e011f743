import { isSameResource, keyOf, type Resource } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';

import { mayBeCopy } from './choose-copy.js';
import type { Copies } from './copies.js';
import { hasFinalizer } from './finalizer.js';
import type { Neighbour, Neighbours } from './neighbours.js';
import type { Retirement } from './observed.js';
import { isOfAnotherAgent } from './other-agent.js';
import { type RelatedUses, primaryId } from './related-uses.js';
import type { Worklist } from './worklist.js';

export interface NeighbourhoodOptions {
  /** Undefined: there are none. */
  readonly neighbours: Neighbours | undefined;
  /** The published resource in kcp. */
  readonly resource: Resource;
  readonly agentName: string;
  readonly uses: RelatedUses;
  readonly copies: Copies;
  readonly worklist: Worklist;
  readonly retirement: () => Retirement | undefined;
}

/** Relations between a sync and the other syncs of its agent. */
export class Neighbourhood {
  readonly #options: NeighbourhoodOptions;
  readonly #own: Neighbour;
  /** Ends the relations of this sync. */
  readonly leave: () => void;

  constructor(options: NeighbourhoodOptions) {
    const { neighbours, uses } = options;
    this.#options = options;
    this.#own = {
      has: (thing) => uses.has(thing),
      holders: (copy) => uses.holders(copy),
      holds: (resource, object) => this.#holds(resource, object),
    };
    this.leave = neighbours?.join(this.#own) ?? (() => undefined);
  }

  others(): readonly Neighbour[] {
    return this.#options.neighbours?.besides(this.#own) ?? [];
  }

  /** Whether a primary of another sync references a published object. */
  isRelatedInOtherSync(object: ClusterKey): boolean {
    const id = primaryId(this.#options.resource, object);
    return this.others().some((other) => other.has(id));
  }

  /** Number of objects that keep their finalizer because another sync needs them. */
  heldForOthers(): number {
    if (this.others().length === 0) return 0;
    const { worklist } = this.#options;
    const heldIn = (cluster: string): number =>
      worklist
        .primaries(cluster)
        .filter((object) => hasFinalizer(object) && this.isRelatedInOtherSync({ cluster, ...keyOf(object) })).length;
    return worklist.clusters().reduce((sum, cluster) => sum + heldIn(cluster), 0);
  }

  #holds(resource: Resource, object: ClusterKey): boolean {
    const { copies, agentName, retirement } = this.#options;
    return (
      isSameResource(resource, this.#options.resource) &&
      retirement() !== 'keep' &&
      (!copies.informer.hasSynced ||
        copies.of(object).some((copy) => !isOfAnotherAgent(copy, agentName) && mayBeCopy(copy)))
    );
  }
}
