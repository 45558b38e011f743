import { type Change, type Entry, type ObjectStore, type Store, metaOf, withMeta } from '@hawser/apiserver';
import { type JsonObject, equal } from '@hawser/json';
import { CLUSTER } from '../names.js';

/**
 * One logical cluster's part of a shard's store. In the shard, keys begin with the cluster's name, and revisions are
 * shared; every object gets its cluster in annotation `kcp.io/cluster`, whatever was written.
 */
export class ClusterStore implements ObjectStore {
  readonly #whole: Store;
  readonly #changes: ClusterChanges;
  readonly #cluster: string;
  readonly #prefix: string;

  constructor(whole: Store, changes: ClusterChanges, cluster: string) {
    this.#whole = whole;
    this.#changes = changes;
    this.#cluster = cluster;
    this.#prefix = `${cluster}/`;
  }

  get revision(): number {
    return this.#whole.revision;
  }

  get compactedRevision(): number {
    return this.#whole.compactedRevision;
  }

  get(bucket: string, key: string): Entry | undefined {
    const entry = this.#whole.get(bucket, this.#prefix + key);
    return entry === undefined ? undefined : this.#own(entry);
  }

  put(bucket: string, key: string, object: JsonObject): Entry {
    const { annotations, resourceVersion } = metaOf(object);
    if (annotations?.[CLUSTER] === this.#cluster) return this.#own(this.#whole.put(bucket, this.#prefix + key, object));
    const annotated = withMeta(object, { annotations: { ...annotations, [CLUSTER]: this.#cluster } });
    const previous = this.#whole.get(bucket, this.#prefix + key);
    // Without the annotation it equals the stored object.
    if (previous !== undefined && resourceVersion === String(previous.revision) && equal(annotated, previous.object))
      return this.#own(previous);
    return this.#own(this.#whole.put(bucket, this.#prefix + key, annotated));
  }

  delete(bucket: string, key: string): Entry | undefined {
    const entry = this.#whole.delete(bucket, this.#prefix + key);
    return entry === undefined ? undefined : this.#own(entry);
  }

  *range(bucket: string, prefix = '', start = ''): Iterable<Entry> {
    for (const entry of this.#whole.range(bucket, this.#prefix + prefix, start === '' ? '' : this.#prefix + start))
      yield this.#own(entry);
  }

  rangeAt(bucket: string, revision: number, prefix = '', start = ''): Iterable<Entry> {
    return [
      ...this.#whole.rangeAt(bucket, revision, this.#prefix + prefix, start === '' ? '' : this.#prefix + start),
    ].map((entry) => this.#own(entry));
  }

  changesSince(bucket: string, revision: number): readonly Change[] {
    return this.#whole
      .changesSince(bucket, revision)
      .filter((change) => change.entry.key.startsWith(this.#prefix))
      .map((change) => this.#ownChange(change));
  }

  subscribe(listener: (change: Change) => void): Disposable {
    return this.#changes.subscribe(this.#cluster, (change) => {
      listener(this.#ownChange(change));
    });
  }

  onRestore(listener: () => void): Disposable {
    return this.#whole.onRestore(listener);
  }

  #own(entry: Entry): Entry {
    return { ...entry, key: entry.key.slice(this.#prefix.length) };
  }

  #ownChange(change: Change): Change {
    return change.type === 'ADDED'
      ? { ...change, entry: this.#own(change.entry) }
      : { ...change, entry: this.#own(change.entry), previous: this.#own(change.previous) };
  }
}

/** Delivers a shard's changes to their clusters: the cost of a write does not grow with the number of clusters. */
export class ClusterChanges {
  readonly #listeners = new Map<string, Set<(change: Change) => void>>();

  constructor(whole: Store) {
    whole.subscribe((change) => {
      const cluster = clusterOfKey(change.entry.key);
      for (const listener of [...(this.#listeners.get(cluster) ?? [])]) listener(change);
    });
  }

  subscribe(cluster: string, listener: (change: Change) => void): Disposable {
    const listeners = this.#listeners.get(cluster) ?? new Set();
    this.#listeners.set(cluster, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(cluster);
      },
    };
  }
}

export const clusterOfKey = (key: string): string => key.slice(0, key.indexOf('/'));
