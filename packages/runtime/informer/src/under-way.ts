import { type KubeObject, isRefusal } from '@hawser/client';

export interface UnderWayOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /**
   * How long to count an object whose creation got no answer, in milliseconds. Default 5 min: longer than a cache takes
   * to receive it.
   */
  readonly unsureForMs?: number | undefined;
}

/**
 * Counts objects per owner that are being created and may not be cached yet. Add them to the cached ones to enforce a
 * limit per owner across several workers. An object whose creation got no answer counts on: it may exist.
 */
export class UnderWay {
  readonly #now: () => number;
  readonly #unsureForMs: number;
  /** Owner → name → until when it counts. */
  readonly #names = new Map<string, Map<string, number>>();

  constructor({ now, unsureForMs = 300_000 }: UnderWayOptions) {
    this.#now = now;
    this.#unsureForMs = unsureForMs;
  }

  /**
   * Counts the objects of `owner`; `cached` are those in the cache. An object in both counts once.
   * @param own the object that the caller is about to create: it does not count against itself.
   */
  count(owner: string, cached: readonly KubeObject[], own?: string): number {
    const names = this.#current(owner, cached);
    if (names === undefined) return cached.length;
    const known = new Set(cached.map(({ metadata }) => metadata.name));
    return cached.length + [...names.keys()].filter((name) => name !== own && !known.has(name)).length;
  }

  /** Whether `owner` has a counted object that may never exist. No event reports the end of its count. */
  isUnsure(owner: string, cached: readonly KubeObject[]): boolean {
    return this.#current(owner, cached) !== undefined;
  }

  /**
   * Counts `name` while `create` runs; `create` must put the object into the cache before it ends. Counts on if the
   * outcome is unknown. One worker per name.
   */
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
    // A cached object exists, and counts there.
    for (const { metadata } of cached) if (names.get(metadata.name) !== Infinity) names.delete(metadata.name);
    for (const [name, until] of names) if (until <= now) names.delete(name);
    if (names.size > 0) return names;
    this.#names.delete(owner);
    return undefined;
  }
}
