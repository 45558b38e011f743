import type { KubeObject } from '@hawser/client';

/**
 * Objects that are being created and may not be in the cache yet, by owner: who bounds how many an owner has counts these too, so that several workers do
 * not go beyond the bound together.
 */
export class UnderWay {
  readonly #names = new Map<string, Set<string>>();

  /** How many objects `owner` has, of which `cached` are those in the cache. An object that is in both counts once. */
  count(owner: string, cached: readonly KubeObject[]): number {
    const names = this.#names.get(owner);
    if (names === undefined) return cached.length;
    const seen = cached.filter(({ metadata }) => names.has(metadata.name)).length;
    return cached.length + names.size - seen;
  }

  /** Counts `name` for as long as `create` runs, which puts what it made into the cache before it ends. One worker per name. */
  async during<T>(owner: string, name: string, create: () => Promise<T>): Promise<T> {
    const names = this.#names.get(owner) ?? new Set();
    this.#names.set(owner, names.add(name));
    try {
      return await create();
    } finally {
      names.delete(name);
      if (names.size === 0) this.#names.delete(owner);
    }
  }
}
