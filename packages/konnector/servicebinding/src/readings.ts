import type { CustomResourceDefinition } from '@hawser/kube-bind';
import type { GateTerms, Hold } from './hold.js';
import { liveVersion } from './observed.js';
import type { WantedCRD } from './wanted-crd.js';

/**
 * Judgements of stored objects against changed schemas, for the length of one decision. Reading takes long, and people
 * and the provider act meanwhile. So while {@link takeReads} is not 0, observe everything once more before deciding.
 */
export class Readings {
  readonly #known = new Map<string, Hold | undefined>();
  #reads = 0;

  /** Reads only if this very change is unknown under these terms. */
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

  /** Number of reads since the last call. */
  takeReads(): number {
    const reads = this.#reads;
    this.#reads = 0;
    return reads;
  }
}
