import type { KubeObject } from '@hawser/client';
import type { CacheKey } from './cache-key.js';

import { InformerError } from './informer-error.js';
import { type IndexFunction, StoreIndex } from './store-index.js';

/**
 * The objects of one informer by key, with indexes that follow every change. Does not compare versions; see {@link
 * Cache}.
 */
export class Store {
  readonly #objects = new Map<CacheKey, KubeObject>();
  readonly #indexes = new Map<string, StoreIndex>();
  /** Created for the first list of one namespace: most informers never need it. */
  #namespaces: StoreIndex | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get(key: CacheKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<CacheKey> {
    return this.#objects.keys();
  }

  entries(): readonly (readonly [CacheKey, KubeObject])[] {
    return [...this.#objects];
  }

  set(key: CacheKey, object: KubeObject): void {
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#reindex(key, before, object);
  }

  delete(key: CacheKey): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#reindex(key, before, undefined);
  }

  list(namespace?: string): readonly KubeObject[] {
    if (namespace === undefined) return [...this.#objects.values()];
    this.#namespaces ??= this.#index((object) => [object.metadata.namespace ?? '']);
    return this.#resolve(this.#namespaces.keys(namespace));
  }

  addIndex(name: string, valuesOf: IndexFunction): void {
    if (!this.#indexes.has(name)) this.#indexes.set(name, this.#index(valuesOf));
  }

  byIndex(name: string, value: string): readonly KubeObject[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new InformerError('UnknownIndex', `there is no index ${JSON.stringify(name)}`);
    return this.#resolve(index.keys(value));
  }

  clear(): void {
    this.#objects.clear();
    for (const index of this.#indexes.values()) index.clear();
    this.#namespaces?.clear();
  }

  #index(valuesOf: IndexFunction): StoreIndex {
    const index = new StoreIndex(valuesOf);
    for (const [key, object] of this.#objects) index.update(key, undefined, object);
    return index;
  }

  #reindex(key: CacheKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const index of this.#indexes.values()) index.update(key, before, after);
    this.#namespaces?.update(key, before, after);
  }

  #resolve(keys: Iterable<CacheKey>): readonly KubeObject[] {
    const found: KubeObject[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }
}
