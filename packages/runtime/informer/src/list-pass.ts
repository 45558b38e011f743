import type { KubeObject } from '@hawser/client';
import { type CacheKey, isAnother } from './cache-key.js';

import type { Projection } from './projection.js';
import { isNotNewer, isOlder } from './resource-version.js';
import { isSameContent } from './same-content.js';
import type { Store } from './store.js';

/** How a list changes the cache. */
export interface CacheWriter {
  put(key: CacheKey, cached: KubeObject | undefined, object: KubeObject): void;
  remove(key: CacheKey, cached: KubeObject): void;
}

/**
 * One list, page by page. What a page contains is taken in at once: each object was like that at the list's resourceVersion, whether or not the
 * other pages arrive. What it does *not* contain counts only when the last page is in: an abandoned pass has deleted nothing.
 */
export class ListPass {
  readonly #seen = new Set<CacheKey>();
  /** Observed since the list began: the list cannot know these. */
  readonly #marked = new Set<CacheKey>();
  #resourceVersion: string | undefined;
  #restored = false;
  #hasNameless = false;
  #regressed = false;

  /**
   * `expected`: the newest version known before the list was asked for. `contents`: an object of a known version is taken for the same only if its content
   * is.
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
   * Whether the server's versions went backwards, as they do when its storage was restored from a backup. Then no version in the cache means
   * anything, and the list replaces them all.
   */
  get restored(): boolean {
    return this.#restored;
  }

  /**
   * Whether an object has an older version than the cache has had from the same server. Versions of one object only grow, unless storage was restored: with versions that go on
   * from higher ones, as etcd can do it, nothing else shows that.
   */
  get regressed(): boolean {
    return this.#regressed;
  }

  /** To be told with the first page. */
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

  /** Of an object that is there, whatever it contains: it is not missing. */
  see(object: KubeObject): CacheKey {
    const key = this.keyOf(object);
    this.#seen.add(key);
    return key;
  }

  /** Of an object that is there, and does not say which it is: any that is missing may be this one. */
  seeNameless(): void {
    this.#hasNameless = true;
  }

  /** To be called after the last page: which objects are cached and were in no page. Live: may be consumed bit by bit, with {@link ListPass.drop} in between. */
  *missing(): Iterable<CacheKey> {
    if (this.#hasNameless) return;
    for (const key of this.store.keys()) if (!this.#seen.has(key)) yield key;
  }

  /** Removes a missing object, unless it is one that the list could not know. */
  drop(key: CacheKey): void {
    const cached = this.store.get(key);
    if (cached !== undefined && !this.#isAhead(key, cached)) this.writer.remove(key, cached);
  }

  /** Whether the cached version was observed after the snapshot that is being listed. */
  #isAhead(key: CacheKey, cached: KubeObject): boolean {
    return (
      !this.#restored && this.#marked.has(key) && !isNotNewer(cached.metadata.resourceVersion, this.#resourceVersion)
    );
  }

  #isSame(cached: KubeObject, object: KubeObject): boolean {
    if (isAnother(cached, object) || cached.metadata.resourceVersion === undefined) return false;
    if (cached.metadata.resourceVersion !== object.metadata.resourceVersion) return false;
    // After a restore the same number can stand for two different writes.
    return !(this.#restored || this.contents) || isSameContent(cached, this.project(object));
  }
}
