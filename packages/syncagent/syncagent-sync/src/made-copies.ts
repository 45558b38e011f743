import { type UnstructuredObject, getIfExists } from '@hawser/client';
import type { PairPorts } from './act.js';
import { isAsMade } from './creator.js';
import type { PairRecord } from './pair-record.js';

/** Finds out whether this agent made a copy that no record names, as where it ended between the two writes. */
export class MadeCopies {
  /** Pair → object in the place of the copy that this agent did not make, as `uid@version`. */
  readonly #strangers = new Map<string, string>();

  /**
   * The record with the uid of the copy, if this agent made it. Reads live where the cache lacks managedFields, once
   * for each version. `id` is that of the pair.
   * @throws ApiError
   */
  async find(
    id: string,
    record: PairRecord,
    { creator, destination: { client, resource } }: PairPorts,
    there: UnstructuredObject | undefined,
    signal: AbortSignal,
  ): Promise<PairRecord | undefined> {
    if (there === undefined || creator === undefined) return undefined;
    const version = `${there.metadata.uid}@${there.metadata.resourceVersion}`;
    if (this.#strangers.get(id) === version) return undefined;
    const live =
      there.metadata.managedFields === undefined
        ? await getIfExists(client, resource, record.destination, { signal })
        : there;
    if (live === undefined || live.metadata.uid !== there.metadata.uid) return undefined;
    if (isAsMade(live, creator)) return { ...record, uid: live.metadata.uid };
    this.#strangers.set(id, version);
    return undefined;
  }

  forget(isOf: (id: string) => boolean): void {
    for (const id of this.#strangers.keys()) if (isOf(id)) this.#strangers.delete(id);
  }
}
