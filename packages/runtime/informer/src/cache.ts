import type { KubeObject } from '@hawser/client';
import { type CacheKey, isAnother } from './cache-key.js';
import type { ObjectChange } from './handlers.js';

import { ListPass } from './list-pass.js';
import type { Projection } from './projection.js';
import { RecentlyDeleted } from './recently-deleted.js';
import { isNotNewer, isOlder, newest } from './resource-version.js';
import { sharing } from './sharing.js';
import type { Store } from './store.js';

export interface CacheOptions {
  readonly store: Store;
  readonly project: Projection;
  readonly keyOf: (object: KubeObject) => CacheKey;
  /**
   * Called for each change, after the store has it. `by`: the share that observed it; undefined: it came from the
   * server.
   */
  readonly deliver: (change: ObjectChange, by?: object) => void;
  /** Called when a list has replaced the whole cache because the server's storage was restored from a backup. */
  readonly restored: () => void;
}

/**
 * Decides which version of an object the store holds. There are three sources. A list is the truth at its
 * resourceVersion. Watch events follow it in order. Answers to our own writes ({@link Cache.observe}) may be ahead of
 * both.
 */
export class Cache {
  readonly #store: Store;
  readonly #project: Projection;
  readonly #keyOf: (object: KubeObject) => CacheKey;
  readonly #deliver: CacheOptions['deliver'];
  readonly #restored: CacheOptions['restored'];
  readonly #deleted = new RecentlyDeleted();
  #pass: ListPass | undefined;
  #synced = false;
  #resourceVersion: string | undefined;
  #newestObserved: string | undefined;
  /** Observed versions that the watch has not delivered yet: version → uid. */
  readonly #ahead = new Map<string, string>();

  constructor(options: CacheOptions) {
    this.#store = options.store;
    this.#project = options.project;
    this.#keyOf = options.keyOf;
    this.#deliver = options.deliver;
    this.#restored = options.restored;
  }

  /** Whether one complete list has been taken in. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Progress of lists and watches: the next watch starts here. The cache contains everything up to it. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** The newest version known from any source. A server that has not reached it was restored from a backup. */
  get newestKnown(): string | undefined {
    return newest(this.#resourceVersion, this.#newestObserved);
  }

  /**
   * Begins a list. Call it before requesting the first page: the list may lack what is observed after that. `contents`:
   * see {@link ListPass}.
   */
  beginList(contents: boolean): ListPass {
    const pass = new ListPass(
      this.#store,
      this.#project,
      this.#keyOf,
      {
        put: (key, cached, object) => {
          this.#put(key, cached, object, !this.#synced);
        },
        remove: (key, cached) => {
          // A deletion that a backup has undone does not count: the object may be written again.
          if (!pass.restored) this.#deleted.add(cached.metadata.uid);
          this.#store.delete(key);
          this.#deliver({ kind: 'delete', key, last: cached, witnessed: false });
        },
      },
      this.newestKnown,
      contents,
    );
    this.#pass = pass;
    return pass;
  }

  /** Ends a list. Call it when everything missing from the list has been dropped. */
  endList(pass: ListPass): void {
    this.#pass = undefined;
    this.#synced = true;
    this.#resourceVersion = pass.resourceVersion;
    if (pass.restored) this.#newestObserved = undefined;
    if (pass.restored || pass.regressed) this.#restored();
  }

  /** Begins a watch. Returns the live map of versions whose events it may skip: version → uid. */
  beginWatch(): ReadonlyMap<string, string> {
    // A server restored from a backup gives the same versions to other objects.
    this.#ahead.clear();
    return this.#ahead;
  }

  /** Whether an event may follow those before it. Versions within one watch only grow. */
  follows(resourceVersion: string | undefined): boolean {
    return !isOlder(resourceVersion, this.#resourceVersion);
  }

  /** Records that everything up to `resourceVersion` has been taken in. */
  advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    this.#resourceVersion = resourceVersion;
    this.#ahead.delete(resourceVersion);
  }

  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const key = this.#keyOf(object);
    const cached = this.#store.get(key);
    if (type === 'DELETED') {
      this.#deleted.add(object.metadata.uid);
      if (cached === undefined || isAnother(cached, object)) return;
      this.#deleted.add(cached.metadata.uid);
      this.#store.delete(key);
      this.#deliver({ kind: 'delete', key, last: this.#project(object), witnessed: true });
      return;
    }
    // Also for another uid: this ends an earlier object of that name, and its successor was observed already.
    if (cached !== undefined && isNotNewer(object.metadata.resourceVersion, cached.metadata.resourceVersion)) return;
    this.#put(key, cached, object, false);
  }

  /** Takes in the answer of a write. `onlyKnown`: ignore uncached objects, because the informer may not select them. */
  observe(object: KubeObject, onlyKnown: boolean, by: object): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#deleted.has(uid)) return;
    const key = this.#keyOf(object);
    const cached = this.#store.get(key);
    // Not cached although everything up to its version is: the answer was slow, and the object is gone.
    const outdated = cached === undefined ? this.#resourceVersion : cached.metadata.resourceVersion;
    if ((cached === undefined && onlyKnown) || isNotNewer(resourceVersion, outdated)) return;
    this.#pass?.mark(key);
    this.#newestObserved = newest(this.#newestObserved, resourceVersion);
    if (resourceVersion !== undefined && uid !== undefined) this.#ahead.set(resourceVersion, uid);
    this.#put(key, cached, object, false, by);
  }

  /** See {@link Informer.share}. */
  share(key: CacheKey, like: KubeObject): void {
    const cached = this.#store.get(key);
    if (cached === undefined) return;
    const shared = sharing(cached, like);
    if (shared !== cached) this.#store.set(key, shared);
  }

  #put(key: CacheKey, cached: KubeObject | undefined, object: KubeObject, initial: boolean, by?: object): void {
    const projected = this.#project(object);
    const next = cached === undefined ? projected : sharing(projected, cached);
    this.#deleted.forget(next.metadata.uid);
    this.#store.set(key, next);
    if (cached === undefined) {
      this.#deliver({ kind: 'add', key, object: next, initial }, by);
    } else if (isAnother(cached, next)) {
      this.#deleted.add(cached.metadata.uid);
      this.#deliver({ kind: 'delete', key, last: cached, witnessed: false }, by);
      this.#deliver({ kind: 'add', key, object: next, initial }, by);
    } else {
      this.#deliver({ kind: 'update', key, before: cached, after: next }, by);
    }
  }
}
