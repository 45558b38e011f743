import type { KubeObject } from '@hawser/client';

/**
 * One list of a {@link Reflector}, page by page. A page's content was true at the list's resourceVersion; missing
 * objects count only at the end.
 */
export interface ReflectedList<Key = unknown> {
  /** The version of the snapshot; set by the first page. */
  readonly resourceVersion: string | undefined;
  /** Called with the first page. */
  open(resourceVersion: string | undefined): void;
  take(object: KubeObject): void;
  /** Called for an existing object that is unusable. */
  see(object: KubeObject): unknown;
  /** Called for an existing object without a name: any missing object may be this one. */
  seeNameless(): void;
  /** After the last page: the earlier objects that no page contained. */
  missing(): Iterable<Key>;
  drop(key: Key): void;
}

/** The cache that a {@link Reflector} keeps equal to the server. Calls come in the server's order. */
export interface ReflectedCache<List extends ReflectedList = ReflectedList> {
  /** Whether one complete list has been taken in. */
  readonly synced: boolean;
  /** Everything up to this version has been taken in: the next watch starts here. */
  readonly resourceVersion: string | undefined;
  /** The newest version known from any source. A server that has not reached it was restored from a backup. */
  readonly newestKnown: string | undefined;
  /** Called before the first page is requested. `contents`: compare objects of known versions by content. */
  beginList(contents: boolean): List;
  /** Called when everything missing from the list has been dropped. */
  endList(list: List): void;
  /** Versions whose events the watch may skip: version → uid. */
  beginWatch(): ReadonlyMap<string, string> | undefined;
  /** Whether an event may follow those before it. */
  follows(resourceVersion: string | undefined): boolean;
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
  /** Everything up to `resourceVersion` has been taken in. */
  advance(resourceVersion: string | undefined): void;
}
