import type { KubeObject } from '@hawser/client';

/** One list of a {@link Reflector}, page by page. What a page contains was so at the list's resourceVersion; what no page contains counts only at the end. */
export interface ReflectedList<Key = unknown> {
  /** The version of the snapshot, from the first page on. */
  readonly resourceVersion: string | undefined;
  /** Comes with the first page. */
  open(resourceVersion: string | undefined): void;
  take(object: KubeObject): void;
  /** Of an object that is there, and cannot be used. */
  see(object: KubeObject): unknown;
  /** Of an object that is there, and does not say which it is: any that is missing may be this one. */
  seeNameless(): void;
  /** After the last page: what there was before and was in no page. */
  missing(): Iterable<Key>;
  drop(key: Key): void;
}

/** What a {@link Reflector} keeps equal to the server. All calls come in the order in which the server told of things. */
export interface ReflectedCache<List extends ReflectedList = ReflectedList> {
  /** Whether one list has been taken in to its end. */
  readonly synced: boolean;
  /** Everything up to it has been taken in: where the next watch starts. */
  readonly resourceVersion: string | undefined;
  /** The newest version known from anywhere. A server that has not come so far was restored from a backup. */
  readonly newestKnown: string | undefined;
  /** Comes before the first page is asked for. `contents`: objects of known versions are to be compared by content. */
  beginList(contents: boolean): List;
  /** Comes when everything missing from the list has been dropped. */
  endList(list: List): void;
  /** Versions whose events need not be told, by version the object's uid. */
  beginWatch(): ReadonlyMap<string, string> | undefined;
  /** Whether an event may follow those before it. */
  follows(resourceVersion: string | undefined): boolean;
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
  /** Everything up to `resourceVersion` has been taken in. */
  advance(resourceVersion: string | undefined): void;
}
