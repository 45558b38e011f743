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
  /** Told about each change, after the store has it. `by`: who has observed it; undefined: the server told of it. */
  readonly deliver: (change: ObjectChange, by?: object) => void;
  /** Told when a list has replaced all there was, since the storage of the server was restored from a backup. */
  readonly restored: () => void;
}

/**
 * Decides which version of an object stands in the store. There are three sources: a list is the truth at its resourceVersion, watch events
 * follow it in order, and answers of our own writes ({@link Cache.observe}) may be ahead of both.
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
  /** By version, the uid of what was observed and has not come by the watch yet. */
  readonly #ahead = new Map<string, string>();

  constructor(options: CacheOptions) {
    this.#store = options.store;
    this.#project = options.project;
    this.#keyOf = options.keyOf;
    this.#deliver = options.deliver;
    this.#restored = options.restored;
  }

  /** Whether one list has been taken in to its end. */
  get synced(): boolean {
    return this.#synced;
  }

  /** How far lists and watches have come: where the next watch starts. Everything up to it has been taken in. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** The newest version known from anywhere. A server that says it has not come so far was restored from a backup. */
  get newestKnown(): string | undefined {
    return newest(this.#resourceVersion, this.#newestObserved);
  }

  /** To be called before the first page is asked for: what is observed from then on may rightly be missing from it. `contents`: see {@link ListPass}. */
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
          // A deletion that a backup has undone is none: the object may well be written again.
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

  /** To be called when everything missing from the list has been dropped. */
  endList(pass: ListPass): void {
    this.#pass = undefined;
    this.#synced = true;
    this.#resourceVersion = pass.resourceVersion;
    if (pass.restored) this.#newestObserved = undefined;
    if (pass.restored || pass.regressed) this.#restored();
  }

  /** To be called when a watch is opened. The versions that its events need not tell, by version the object's uid; it follows what is observed. */
  beginWatch(): ReadonlyMap<string, string> {
    // A server that was restored from a backup meanwhile gives the same versions to other objects.
    this.#ahead.clear();
    return this.#ahead;
  }

  /** Whether an event may follow those before it. Versions within one watch only grow. */
  follows(resourceVersion: string | undefined): boolean {
    return !isOlder(resourceVersion, this.#resourceVersion);
  }

  /** Everything up to `resourceVersion` has been taken in. */
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
    // Also for another uid: then it is the end of an earlier object of that name, whose successor was observed already.
    if (cached !== undefined && isNotNewer(object.metadata.resourceVersion, cached.metadata.resourceVersion)) return;
    this.#put(key, cached, object, false);
  }

  /** The answer of a write. `onlyKnown`: ignore it unless the object is cached, because it may not be one that the informer selects. */
  observe(object: KubeObject, onlyKnown: boolean, by: object): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#deleted.has(uid)) return;
    const key = this.#keyOf(object);
    const cached = this.#store.get(key);
    // Not cached although everything up to its version is: the answer was slow, and the object has gone meanwhile.
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
