import type { Change, Entry } from './change.js';
import { SortedKeys } from './sorted-keys.js';

/** Objects of one resource, and their changes since the last compaction. */
export class Bucket {
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new SortedKeys();
  /** Ascending revisions. */
  #log: Change[] = [];

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  record(change: Change): void {
    this.#apply(change);
    this.#log.push(change);
  }

  /** Inserts an entry without history: for snapshots. */
  load(entry: Entry): void {
    if (!this.#entries.has(entry.key)) this.#keys.add(entry.key);
    this.#entries.set(entry.key, entry);
  }

  unload(key: string): void {
    if (this.#entries.delete(key)) this.#keys.delete(key);
  }

  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** Current entries whose keys start with `prefix`, in order, from `start` on. */
  *range(prefix: string, start: string): Generator<Entry> {
    for (let index = this.#keys.lowerBound(start > prefix ? start : prefix); index < this.#keys.length; index++) {
      const key = this.#keys.at(index);
      if (key?.startsWith(prefix) !== true) return;
      const entry = this.#entries.get(key);
      if (entry !== undefined) yield entry;
    }
  }

  /** The same, at `revision`. */
  rangeAt(prefix: string, start: string, revision: number): Entry[] {
    const state = new Map<string, Entry>();
    for (const entry of this.range(prefix, start)) state.set(entry.key, entry);
    // Undoes later changes, the latest first.
    for (let index = this.#log.length - 1; index >= 0; index--) {
      const change = this.#log[index];
      if (change === undefined || change.revision <= revision) break;
      const { key } = change.entry;
      if (!key.startsWith(prefix) || key < start) continue;
      if (change.previous === undefined) state.delete(key);
      else state.set(key, change.previous);
    }
    return [...state.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }

  /** Whether there are changes after `revision`. */
  changedSince(revision: number): boolean {
    return (this.#log.at(-1)?.revision ?? 0) > revision;
  }

  changesSince(revision: number): readonly Change[] {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? this.#log : this.#log.slice(low);
  }

  /** Drops history up to `revision`. Returns the number of dropped changes. */
  compact(revision: number): number {
    const kept = this.changesSince(revision);
    const forgotten = this.#log.length - kept.length;
    if (forgotten > 0) this.#log = [...kept];
    return forgotten;
  }

  #apply(change: Change): void {
    const { key } = change.entry;
    if (change.type === 'DELETED') {
      this.#entries.delete(key);
      this.#keys.delete(key);
      return;
    }
    if (change.type === 'ADDED') this.#keys.add(key);
    this.#entries.set(key, change.entry);
  }
}
