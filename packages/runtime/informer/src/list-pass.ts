import type { KubeObject } from '@hawser/client';
import { type CacheKey, isAnother } from './cache-key.js';

import type { Projection } from './projection.js';
import { isNotNewer, isOlder } from './resource-version.js';
import { isSameContent } from './same-content.js';
import type { Store } from './store.js';

/** Changes that a list makes to the cache. */
export interface CacheWriter {
  put(key: CacheKey, cached: KubeObject | undefined, object: KubeObject): void;
  remove(key: CacheKey, cached: KubeObject): void;
}

/**
 * Applies one list to the cache, page by page. A page's objects are taken in at once: each had that state at the list's
 * resourceVersion, even if the other pages never arrive. *Missing* objects count only after the last page: an abandoned
 * pass deletes nothing.
 */
export class ListPass {
  readonly #seen = new Set<CacheKey>();
  /** Keys observed since the list began: the list cannot contain these. */
  readonly #marked = new Set<CacheKey>();
  #resourceVersion: string | undefined;
  #restored = false;
  #hasNameless = false;
  #regressed = false;

  /**
   * `expected`: the newest version known before the list was requested. `contents`: an object of a known version counts
   * as unchanged only if its content is equal.
   */
  constructor(
    private readonly store: Store,
    private readonly project: Projection,
    private readonly keyOf: (object: KubeObject) => CacheKey,
    private readonly writer: CacheWriter,
    private readonly expected: string | undefined,
    private readonly contents: boolean,
  ) {}

  /** The version of the snapshot. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /**
   * Whether the server's versions went backwards: its storage was restored from a backup. Then no cached version is
   * valid, and the list replaces them all.
   */
  get restored(): boolean {
    return this.#restored;
  }

  /**
   * Whether an object has an older version than the cache has from the same server. Versions of one object only grow,
   * unless storage was restored. If etcd continues with higher versions after a restore, this is the only sign.
   */
  get regressed(): boolean {
    return this.#regressed;
  }

  /** Opens the list with the version of the first page. */
  open(resourceVersion: string | undefined): void {
    this.#resourceVersion = resourceVersion;
    this.#restored = isOlder(resourceVersion, this.expected);
  }

  mark(key: CacheKey): void {
    this.#marked.add(key);
  }

  take(object: KubeObject): void {
    const key = this.see(object);
    const cached = this.store.get(key);
    if (cached !== undefined && (this.#isAhead(key, cached) || this.#isSame(cached, object))) return;
    if (cached !== undefined && !isAnother(cached, object))
      this.#regressed ||= isOlder(object.metadata.resourceVersion, cached.metadata.resourceVersion);
    this.writer.put(key, cached, object);
  }

  /** Records that an object exists, whatever its content: it is not missing. */
  see(object: KubeObject): CacheKey {
    const key = this.keyOf(object);
    this.#seen.add(key);
    return key;
  }

  /** Records an existing object without a name: any missing object may be this one. */
  seeNameless(): void {
    this.#hasNameless = true;
  }

  /**
   * After the last page: yields cached objects that no page contained. Live: may be consumed in parts, with {@link
   * ListPass.drop} in between.
   */
  *missing(): Iterable<CacheKey> {
    if (this.#hasNameless) return;
    for (const key of this.store.keys()) if (!this.#seen.has(key)) yield key;
  }

  /** Removes a missing object, unless the list could not contain it. */
  drop(key: CacheKey): void {
    const cached = this.store.get(key);
    if (cached !== undefined && !this.#isAhead(key, cached)) this.writer.remove(key, cached);
  }

  /** Whether the cached version was observed after the snapshot of the list. */
  #isAhead(key: CacheKey, cached: KubeObject): boolean {
    return (
      !this.#restored && this.#marked.has(key) && !isNotNewer(cached.metadata.resourceVersion, this.#resourceVersion)
    );
  }

  #isSame(cached: KubeObject, object: KubeObject): boolean {
    if (isAnother(cached, object) || cached.metadata.resourceVersion === undefined) return false;
    if (cached.metadata.resourceVersion !== object.metadata.resourceVersion) return false;
    // After a restore the same version can denote two different writes.
    return !(this.#restored || this.contents) || isSameContent(cached, this.project(object));
  }
}
