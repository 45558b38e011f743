import type { CustomResourceDefinition } from '@hawser/kube-bind';
import type { GateTerms, Hold } from './hold.js';
import { liveVersion } from './observed.js';
import type { WantedCRD } from './wanted-crd.js';

/**
 * What stored objects say of changed schemas, for as long as one decision takes. To read them takes long, and people and the provider go on meanwhile: while {@link takeReads} says that some were
 * read, everything has to be observed once more before it is decided about.
 */
export class Readings {
  readonly #known = new Map<string, Hold | undefined>();
  #reads = 0;

  /** Reads only what is not known of this very change under these terms. */
  async hold(
    name: string,
    live: CustomResourceDefinition,
    wanted: WantedCRD,
    terms: GateTerms,
    read: () => Promise<Hold | undefined>,
  ): Promise<Hold | undefined> {
    const key = JSON.stringify([name, liveVersion(live), wanted.hash, terms.policy, terms.approved]);
    if (!this.#known.has(key)) {
      this.#reads++;
      this.#known.set(key, await read());
    }
    return this.#known.get(key);
  }

  /** How many were read since the last call. */
  takeReads(): number {
    const reads = this.#reads;
    this.#reads = 0;
    return reads;
  }
}
