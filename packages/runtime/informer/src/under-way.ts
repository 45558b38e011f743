import { type KubeObject, isRefusal } from '@hawser/client';

export interface UnderWayOptions {
  /** Milliseconds, on a clock that nobody sets. */
  readonly now: () => number;
  /** How long an object counts of which the answer was lost. Default 5 min: longer than a cache takes to hear of what was made. */
  readonly unsureForMs?: number | undefined;
}

/**
 * Objects that are being created and may not be in the cache yet, by owner: who bounds how many an owner has counts these too, so that several workers do
 * not go beyond the bound together. One whose creation failed without an answer counts on, since it may have been made all the same.
 */
export class UnderWay {
  readonly #now: () => number;
  readonly #unsureForMs: number;
  /** By owner and name: until when it counts. */
  readonly #names = new Map<string, Map<string, number>>();

  constructor({ now, unsureForMs = 300_000 }: UnderWayOptions) {
    this.#now = now;
    this.#unsureForMs = unsureForMs;
  }

  /**
   * How many objects `owner` has, of which `cached` are those in the cache. An object that is in both counts once.
   * @param own the object that the caller is about to make: whether it is made already does not speak against making it.
   */
  count(owner: string, cached: readonly KubeObject[], own?: string): number {
    const names = this.#current(owner, cached);
    if (names === undefined) return cached.length;
    const known = new Set(cached.map(({ metadata }) => metadata.name));
    return cached.length + [...names.keys()].filter((name) => name !== own && !known.has(name)).length;
  }

  /** Whether something counts for `owner` that may never be made. Nothing tells when it counts no more. */
  isUnsure(owner: string, cached: readonly KubeObject[]): boolean {
    return this.#current(owner, cached) !== undefined;
  }

  /** Counts `name` for as long as `create` runs, which puts what it made into the cache before it ends; and beyond that if nobody knows what came of it. One worker per name. */
  async during<T>(owner: string, name: string, create: () => Promise<T>): Promise<T> {
    const names = this.#names.get(owner) ?? new Map<string, number>();
    this.#names.set(owner, names.set(name, Infinity));
    try {
      const made = await create();
      names.delete(name);
      return made;
    } catch (error) {
      if (isRefusal(error)) names.delete(name);
      else names.set(name, this.#now() + this.#unsureForMs);
      throw error;
    } finally {
      if (names.size === 0) this.#names.delete(owner);
    }
  }

  #current(owner: string, cached: readonly KubeObject[]): ReadonlyMap<string, number> | undefined {
    const names = this.#names.get(owner);
    if (names === undefined) return undefined;
    const now = this.#now();
    // What is in the cache has been made, and counts there for as long as it exists.
    for (const { metadata } of cached) if (names.get(metadata.name) !== Infinity) names.delete(metadata.name);
    for (const [name, until] of names) if (until <= now) names.delete(name);
    if (names.size > 0) return names;
    this.#names.delete(owner);
    return undefined;
  }
}
