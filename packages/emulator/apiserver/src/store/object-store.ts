import type { JsonObject } from '@hawser/json';
import type { Change, Entry } from './change.js';

/** What the server needs of where its objects are. {@link Store} keeps them itself; another one may be a part of it, with keys and revisions of the whole. */
export interface ObjectStore {
  /** The latest revision. */
  readonly revision: number;
  /** States before this revision, and what happened up to it, are gone. */
  readonly compactedRevision: number;
  get(bucket: string, key: string): Entry | undefined;
  /** Creates or replaces. Preconditions are the caller's: nothing can come between its read and this. */
  put(bucket: string, key: string, object: JsonObject): Entry;
  /** Removes what is there. Returns its last state, with the resourceVersion of the deletion; undefined when there was nothing. */
  delete(bucket: string, key: string): Entry | undefined;
  /** The current entries whose keys start with `prefix`, in order, from key `start` on. */
  range(bucket: string, prefix?: string, start?: string): Iterable<Entry>;
  /** The same as it was at `revision`. Throws CompactedError and FutureRevisionError. */
  rangeAt(bucket: string, revision: number, prefix?: string, start?: string): Iterable<Entry>;
  /** What happened in the bucket after `revision`, in order. Throws CompactedError. */
  changesSince(bucket: string, revision: number): readonly Change[];
  /** `listener` is called within each write, in the order of revisions. It must not write. */
  subscribe(listener: (change: Change) => void): Disposable;
  /** Called after everything was replaced: revisions may have gone back. */
  onRestore(listener: () => void): Disposable;
}
