import type { PairRecord } from './pair-record.js';
import type { RelatedOptions, RelatedRun } from './related-run.js';
import { type Holder, copyId, originalId } from './related-uses.js';

/** How other primaries, of any sync, use the related objects of one. */
export class Sharing {
  readonly #options: Pick<RelatedOptions, 'uses' | 'neighbours'>;

  constructor(options: Pick<RelatedOptions, 'uses' | 'neighbours'>) {
    this.#options = options;
  }

  /** Their holders of the copy's destination. */
  holdersOf({ key, identity }: RelatedRun, record: PairRecord): readonly Holder[] {
    const copy = copyId(identity.cluster, record);
    return [
      ...this.#options.uses.holders(copy, key),
      ...this.#options.neighbours().flatMap((neighbour) => neighbour.holders(copy)),
    ];
  }

  /**
   * Whether the original is needed: by others of this sync, unless all are released, or as published or referenced by
   * another sync.
   */
  isNeeded({ key, identity: { cluster }, letGo }: RelatedRun, record: PairRecord): boolean {
    return (
      this.#isUsed(letGo === true ? undefined : key, originalId(cluster, record)) ||
      this.#options.neighbours().some((neighbour) => neighbour.holds(record.kcp, { cluster, ...record.source }))
    );
  }

  /** Whether a primary of this sync besides `key`, or of another sync, uses it. */
  #isUsed(key: string | undefined, thing: string): boolean {
    return (
      (key !== undefined && this.#options.uses.has(thing, key)) ||
      this.#options.neighbours().some((neighbour) => neighbour.has(thing))
    );
  }
}
