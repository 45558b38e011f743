import { type Resource, type UnstructuredObject, keyOf } from '@hawser/client';
import type { Queue } from '@hawser/controller';
import { clusterKey } from '@hawser/informer';
import { identityOf } from '@hawser/syncagent-api';
import type { Copies } from './copies.js';
import type { KcpCaches } from './kcp-caches.js';

export interface WorklistOptions {
  readonly queue: Queue;
  /** The published resource in kcp. */
  readonly resource: Resource;
  /** Called at each use. */
  readonly kcp: () => KcpCaches;
  readonly copies: () => Copies;
}

/** All known objects of a sync, by their copies or in a workspace, and their way into its queue. */
export class Worklist {
  readonly #options: WorklistOptions;

  constructor(options: WorklistOptions) {
    this.#options = options;
  }

  /** Logical clusters that some virtual workspace shows. */
  clusters(): readonly string[] {
    return this.#options.kcp().engagements.flatMap(({ workspaces }) => [...workspaces.names]);
  }

  /** Objects in a logical cluster. */
  primaries(cluster: string, namespace?: string): readonly UnstructuredObject[] {
    return this.#options.kcp().cache(this.#options.resource, cluster)?.list(namespace, cluster) ?? [];
  }

  /** Keys of all objects, each once. */
  keys(): readonly string[] {
    const primaries = this.clusters().flatMap((cluster) =>
      this.primaries(cluster).map((object) => clusterKey({ cluster, ...keyOf(object) })),
    );
    const copied = this.#options
      .copies()
      .all()
      .flatMap((copy) => identityOf(copy) ?? [])
      .map(clusterKey);
    return [...new Set([...primaries, ...copied])];
  }

  add(key: string): void {
    // The change may be what an object waits for.
    this.#options.queue.add(key, { resetBackoff: true });
  }

  addAll(keys: Iterable<string>): void {
    for (const key of keys) this.add(key);
  }

  addNamespace(cluster: string, namespace: string | undefined): void {
    for (const object of this.primaries(cluster, namespace)) this.add(clusterKey({ cluster, ...keyOf(object) }));
  }

  addPrimaries(): void {
    for (const cluster of this.clusters()) this.addNamespace(cluster, undefined);
  }

  /** Enqueues the objects of those logical clusters that have a copy. */
  addCopies(wanted: (cluster: string) => boolean): void {
    for (const copy of this.#options.copies().all()) {
      const identity = identityOf(copy);
      if (identity !== undefined && wanted(identity.cluster)) this.add(clusterKey(identity));
    }
  }
}
