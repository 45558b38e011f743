import type { StatusError } from '../status.js';
import type { Change } from '../store/change.js';
import type { ObjectStore } from '../store/object-store.js';

/** Receives the changes of one bucket. */
export interface Watcher {
  onChange(change: Change): void;
  /** The server stops, or its state was replaced: ends the stream without an error. */
  end(): void;
  /** Ends the stream with an ERROR event. */
  fail(error: StatusError): void;
}

/** Registry of watchers. One subscription to the store serves all. */
export class WatchHub {
  readonly #watchers = new Map<string, Set<Watcher>>();

  constructor(store: ObjectStore) {
    store.subscribe((change) => {
      for (const watcher of [...(this.#watchers.get(change.entry.bucket) ?? [])]) watcher.onChange(change);
    });
    store.onRestore(() => {
      this.endAll();
    });
  }

  get size(): number {
    let size = 0;
    for (const watchers of this.#watchers.values()) size += watchers.size;
    return size;
  }

  add(bucket: string, watcher: Watcher): void {
    const watchers = this.#watchers.get(bucket) ?? new Set();
    this.#watchers.set(bucket, watchers.add(watcher));
  }

  delete(bucket: string, watcher: Watcher): void {
    const watchers = this.#watchers.get(bucket);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(bucket);
  }

  /** Ends the watches of a removed resource. */
  endBucket(bucket: string): void {
    for (const watcher of [...(this.#watchers.get(bucket) ?? [])]) watcher.end();
  }

  /** The same with an error that says why. */
  failBucket(bucket: string, error: StatusError): void {
    for (const watcher of [...(this.#watchers.get(bucket) ?? [])]) watcher.fail(error);
  }

  endAll(): void {
    for (const bucket of [...this.#watchers.keys()]) this.endBucket(bucket);
  }
}
