import type { KubeObject } from '@hawser/client';
import { type ReflectedCache, type ReflectedList, isNotNewer, isOlder } from '@hawser/informer';
import { equal } from '@hawser/json';
import { weightOf } from './weight.js';

/** One change of one object. */
export interface Change {
  /** A version of the API server. */
  readonly version: string;
  readonly before: KubeObject | undefined;
  /** Undefined: the object is gone. */
  readonly after: KubeObject | undefined;
}

/** Called on news. Must not throw. */
export interface HistoryListener {
  /** Changes were added, or the history is complete up to a newer version. */
  advanced(): void;
  /** There was a gap: no watch can continue from before the current version. */
  reset(): void;
}

const MOST_CHANGES = 4_000;
/** Kept regardless of their bytes: a client that has just listed must be able to watch from there. */
const FEWEST_CHANGES = 50;
const MOST_BYTES = 16 * 1024 * 1024;
const SLACK = 1.1;

/**
 * All objects of a resource, and the changes that led to them, as far back as kept. A `Reflector` fills it, in the
 * order of the API server's versions.
 */
export class History implements ReflectedCache<HistoryList> {
  readonly #listeners = new Set<HistoryListener>();
  #objects = new Map<string, KubeObject>();
  #changes: (Change & { readonly bytes: number })[] = [];
  #bytes = 0;
  /** Number of dropped changes: position of the first kept one. */
  #dropped = 0;
  /** Changes up to this version are forgotten. */
  #forgotten: string | undefined;
  #resourceVersion: string | undefined;
  #synced = false;
  #incomplete = false;
  readonly #most: number;

  /** @param most maximum number of kept changes. */
  constructor(most = MOST_CHANGES) {
    this.#most = most;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  get newestKnown(): string | undefined {
    return this.#resourceVersion;
  }

  /** Whether an existing object could not be read, so that the objects here are incomplete. */
  get incomplete(): boolean {
    return this.#incomplete;
  }

  /** An object could not be read: its state is unknown until the next list. */
  miss(): void {
    this.#incomplete = true;
  }

  /** In no order. */
  objects(): Iterable<KubeObject> {
    return this.#objects.values();
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(keyOf(namespace, name));
  }

  /**
   * The kept object if it is the same, to avoid a second copy. After a restore from a backup, a version may have other
   * content.
   */
  same(object: KubeObject): KubeObject {
    const { name, namespace = '', uid, resourceVersion } = object.metadata;
    const kept = this.#objects.get(keyOf(namespace, name));
    return kept !== undefined &&
      kept.metadata.uid === uid &&
      kept.metadata.resourceVersion === resourceVersion &&
      hasSameContent(kept, object)
      ? kept
      : object;
  }

  /** The position of the first change after `version`; undefined if some after it are forgotten. */
  positionAfter(version: string): number | undefined {
    if (this.#forgotten === undefined || isOlder(version, this.#forgotten)) return undefined;
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isNotNewer(this.#changes[middle]?.version, version)) low = middle + 1;
      else high = middle;
    }
    return this.#dropped + low;
  }

  /** Position of the next change. */
  get end(): number {
    return this.#dropped + this.#changes.length;
  }

  /** `forgotten`: it is no longer kept. Undefined: it has not happened yet. */
  at(position: number): Change | 'forgotten' | undefined {
    return position < this.#dropped ? 'forgotten' : this.#changes[position - this.#dropped];
  }

  listen(listener: HistoryListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** No more changes: notifies the listeners. */
  close(): void {
    for (const listener of [...this.#listeners]) listener.reset();
  }

  beginList(): HistoryList {
    return new HistoryList((object) => this.same(object));
  }

  endList(list: HistoryList): void {
    this.#objects = list.objects;
    // An unreadable object may have existed before. Its current state is unknown.
    this.#incomplete = list.unreadable;
    this.#dropped += this.#changes.length;
    this.#changes = [];
    this.#bytes = 0;
    this.#forgotten = list.resourceVersion;
    this.#resourceVersion = list.resourceVersion;
    const again = this.#synced;
    this.#synced = true;
    for (const listener of [...this.#listeners]) {
      if (again) listener.reset();
      else listener.advanced();
    }
  }

  beginWatch(): undefined {
    return undefined;
  }

  follows(resourceVersion: string | undefined): boolean {
    return !isOlder(resourceVersion, this.#resourceVersion);
  }

  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const { name, namespace = '', resourceVersion: version = '' } = object.metadata;
    const key = keyOf(namespace, name);
    const before = this.#objects.get(key);
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
    if (type === 'DELETED' && before === undefined) return;
    const bytes = weightOf(object);
    this.#changes.push({ version, before, after: type === 'DELETED' ? undefined : object, bytes });
    this.#bytes += bytes;
    this.#trim();
  }

  advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    this.#resourceVersion = resourceVersion;
    for (const listener of [...this.#listeners]) listener.advanced();
  }

  /** Drops a few more than needed: shifting an array by one costs as much as by many. */
  #trim(): void {
    const isTooMuch = (count: number, bytes: number): boolean =>
      count > this.#most || (bytes > MOST_BYTES && count > FEWEST_CHANGES);
    if (!isTooMuch(this.#changes.length, this.#bytes)) return;
    let drop = 0;
    for (const { version, bytes } of this.#changes) {
      if (!isTooMuch((this.#changes.length - drop) * SLACK, this.#bytes * SLACK)) break;
      this.#forgotten = version;
      this.#bytes -= bytes;
      drop++;
    }
    this.#changes = this.#changes.slice(drop);
    this.#dropped += drop;
  }
}

/** Collects a whole list before it replaces the old state: readers never see half of it. */
export class HistoryList implements ReflectedList<never> {
  readonly objects = new Map<string, KubeObject>();
  readonly #kept: (object: KubeObject) => KubeObject;
  #resourceVersion: string | undefined;
  #unreadable = false;

  constructor(kept: (object: KubeObject) => KubeObject) {
    this.#kept = kept;
  }

  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  get unreadable(): boolean {
    return this.#unreadable;
  }

  open(resourceVersion: string | undefined): void {
    this.#resourceVersion = resourceVersion;
  }

  take(object: KubeObject): void {
    const { name, namespace = '' } = object.metadata;
    this.objects.set(keyOf(namespace, name), this.#kept(object));
  }

  see(): void {
    this.#unreadable = true;
  }

  seeNameless(): void {
    this.#unreadable = true;
  }

  missing(): readonly never[] {
    return [];
  }

  drop(): void {
    // Nothing is missing: the list replaces everything.
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

function hasSameContent(one: KubeObject, other: KubeObject): boolean {
  try {
    return equal(one, other);
  } catch {
    // Nested too deeply to compare.
    return false;
  }
}
