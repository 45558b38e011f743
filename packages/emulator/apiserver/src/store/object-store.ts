import type { JsonObject } from '@hawser/json';
import type { Change, Entry } from './change.js';

/**
 * The server's interface to its storage. {@link Store} keeps objects itself; another implementation may be a part of
 * one, with keys and revisions of the whole.
 */
export interface ObjectStore {
  /** The latest revision. */
  readonly revision: number;
  /** Older states, and changes up to this revision, are gone. */
  readonly compactedRevision: number;
  get(bucket: string, key: string): Entry | undefined;
  /** Creates or replaces. The caller checks preconditions: nothing can come between its read and this. */
  put(bucket: string, key: string, object: JsonObject): Entry;
  /**
   * Removes an object. Returns its last state, with the resourceVersion of the deletion; undefined if there was none.
   */
  delete(bucket: string, key: string): Entry | undefined;
  /** The current entries whose keys start with `prefix`, in order, from key `start` on. */
  range(bucket: string, prefix?: string, start?: string): Iterable<Entry>;
  /** The same at `revision`. Throws CompactedError and FutureRevisionError. */
  rangeAt(bucket: string, revision: number, prefix?: string, start?: string): Iterable<Entry>;
  /** Changes in the bucket after `revision`, in order. Throws CompactedError. */
  changesSince(bucket: string, revision: number): readonly Change[];
  /** `listener` is called within each write, in the order of revisions. It must not write. */
  subscribe(listener: (change: Change) => void): Disposable;
  /** Called after everything was replaced: revisions may have gone back. */
  onRestore(listener: () => void): Disposable;
}
