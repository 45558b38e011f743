import type { KubeObject } from '@hawser/client';
import type { CacheKey } from './cache-key.js';

export type IndexFunction = (object: KubeObject) => readonly string[];

/** The keys for a value. Most indexes are one to one, so a single key is stored bare: a Set costs two hundred bytes. */
type Bucket = CacheKey | Set<CacheKey>;

/** One index of a store, kept up to date change by change. */
export class StoreIndex {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly valuesOf: IndexFunction) {}

  update(key: CacheKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const old = before === undefined ? [] : this.valuesOf(before);
    const current = after === undefined ? [] : this.valuesOf(after);
    if (sameStrings(old, current)) return;
    for (const value of old) this.#remove(value, key);
    for (const value of current) this.#add(value, key);
  }

  keys(value: string): Iterable<CacheKey> {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return [];
    return typeof bucket === 'string' ? [bucket] : bucket;
  }

  clear(): void {
    this.#buckets.clear();
  }

  #add(value: string, key: CacheKey): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) this.#buckets.set(value, key);
    else if (typeof bucket !== 'string') bucket.add(key);
    else if (bucket !== key) this.#buckets.set(value, new Set([bucket, key]));
  }

  #remove(value: string, key: CacheKey): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return;
    if (typeof bucket === 'string') {
      if (bucket === key) this.#buckets.delete(value);
      return;
    }
    bucket.delete(key);
    if (bucket.size === 0) this.#buckets.delete(value);
  }
}

function sameStrings(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
