import type { JsonObject } from '@hawser/json';
import { Bucket } from './bucket.js';
import type { Change, Entry } from './change.js';
import type { ObjectStore } from './object-store.js';

export interface StoreOptions {
  /**
   * Number of changes kept for watches and pages of lists; up to twice as many until the next compaction. Default 10
   * 000.
   */
  readonly history?: number | undefined;
}

/** The whole state at one revision, without history. Shares the objects, which never change: cheap to take and to keep. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly entries: readonly Entry[];
}

/** The requested history has been compacted. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';

  constructor(
    readonly wanted: number,
    readonly compacted: number,
  ) {
    super(`revision ${wanted} has been compacted; the first that is left is ${compacted + 1}`);
  }
}

/** The requested revision has not been reached. */
export class FutureRevisionError extends Error {
  override readonly name = 'FutureRevisionError';

  constructor(
    readonly wanted: number,
    readonly current: number,
  ) {
    super(`revision ${wanted} is after the current one, ${current}`);
  }
}

const DEFAULT_HISTORY = 10_000;

/**
 * Objects by bucket and key with one revision counter, like etcd: each write is one revision, and earlier states are
 * readable until compacted. Synchronous and without timers; every subscriber has seen a write when it returns.
 */
export class Store implements ObjectStore {
  readonly #buckets = new Map<string, Bucket>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #restoreListeners = new Set<() => void>();
  readonly #history: number;
  #changes = 0;
  /** etcd begins with 1. */
  #revision = 1;
  #compacted = 0;
  #recent: number[] = [];

  constructor(options: StoreOptions = {}) {
    this.#history = options.history ?? DEFAULT_HISTORY;
  }

  /** The latest revision. */
  get revision(): number {
    return this.#revision;
  }

  /** Older states, and changes up to this revision, are gone. */
  get compactedRevision(): number {
    return this.#compacted;
  }

  get(bucket: string, key: string): Entry | undefined {
    return this.#buckets.get(bucket)?.get(key);
  }

  /** Creates or replaces. The caller checks preconditions: nothing can come between its read and this. */
  put(bucket: string, key: string, object: JsonObject): Entry {
    const box = this.#bucket(bucket);
    const previous = box.get(key);
    const revision = ++this.#revision;
    const entry: Entry = {
      bucket,
      key,
      object: atRevision(object, revision),
      revision,
      createRevision: previous?.createRevision ?? revision,
    };
    this.#commit(
      box,
      previous === undefined
        ? { type: 'ADDED', revision, entry, previous }
        : { type: 'MODIFIED', revision, entry, previous },
    );
    return entry;
  }

  /**
   * Removes an object. Returns its last state, with the resourceVersion of the deletion; undefined if there was none.
   */
  delete(bucket: string, key: string): Entry | undefined {
    const box = this.#buckets.get(bucket);
    const previous = box?.get(key);
    if (box === undefined || previous === undefined) return undefined;
    const revision = ++this.#revision;
    const entry: Entry = { ...previous, object: atRevision(previous.object, revision), revision };
    this.#commit(box, { type: 'DELETED', revision, entry, previous });
    return entry;
  }

  /** The current entries whose keys start with `prefix`, in order, from key `start` on. */
  range(bucket: string, prefix = '', start = ''): Iterable<Entry> {
    return this.#buckets.get(bucket)?.range(prefix, start) ?? [];
  }

  /** The same at `revision`. Throws {@link CompactedError} and {@link FutureRevisionError}. */
  rangeAt(bucket: string, revision: number, prefix = '', start = ''): Iterable<Entry> {
    this.#checkReadable(revision);
    const box = this.#buckets.get(bucket);
    if (box === undefined) return [];
    return box.changedSince(revision) ? box.rangeAt(prefix, start, revision) : box.range(prefix, start);
  }

  /** Changes in the bucket after `revision`, in order. Throws {@link CompactedError}. */
  changesSince(bucket: string, revision: number): readonly Change[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return this.#buckets.get(bucket)?.changesSince(revision) ?? [];
  }

  count(bucket: string): number {
    return this.#buckets.get(bucket)?.size ?? 0;
  }

  buckets(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  /** `listener` is called within each write, in the order of revisions. It must not write. */
  subscribe(listener: (change: Change) => void): Disposable {
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
      },
    };
  }

  /** Called after {@link restore}: everything may be different, and revisions may have gone back. */
  onRestore(listener: () => void): Disposable {
    this.#restoreListeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        this.#restoreListeners.delete(listener);
      },
    };
  }

  /** Uses up a revision without a change, like writes of other components. */
  skipRevision(): void {
    this.#revision++;
  }

  /** Drops history up to `revision` (default: all of it). Older watches and list pages end with 410. */
  compact(revision = this.#revision): void {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#compacted) return;
    this.#compacted = target;
    let forgotten = 0;
    for (const bucket of this.#buckets.values()) forgotten += bucket.compact(target);
    this.#changes -= forgotten;
    this.#recent = this.#recent.filter((recent) => recent > target);
  }

  snapshot(): StoreSnapshot {
    const entries: Entry[] = [];
    for (const bucket of this.#buckets.values()) entries.push(...bucket.entries());
    return { revision: this.#revision, entries };
  }

  /**
   * Goes back (or on) to a snapshot, revision included, like etcd after a restored backup. History is empty afterwards.
   */
  restore(snapshot: StoreSnapshot): void {
    this.#buckets.clear();
    for (const entry of snapshot.entries) this.#bucket(entry.bucket).load(entry);
    this.#revision = snapshot.revision;
    this.#compacted = snapshot.revision;
    this.#changes = 0;
    this.#recent = [];
    for (const listener of [...this.#restoreListeners]) listener();
  }

  #bucket(name: string): Bucket {
    const existing = this.#buckets.get(name);
    if (existing !== undefined) return existing;
    const bucket = new Bucket();
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #commit(bucket: Bucket, change: Change): void {
    bucket.record(change);
    this.#recent.push(change.revision);
    this.#changes++;
    for (const listener of [...this.#listeners]) listener(change);
    if (this.#changes >= 2 * this.#history) this.#compactToHistory();
  }

  #compactToHistory(): void {
    const last = this.#recent[this.#recent.length - this.#history - 1];
    if (last !== undefined) this.compact(last);
  }

  #checkReadable(revision: number): void {
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
  }
}

function atRevision(object: JsonObject, revision: number): JsonObject {
  return {
    ...object,
    metadata: { ...(object['metadata'] as JsonObject | undefined), resourceVersion: String(revision) },
  };
}
