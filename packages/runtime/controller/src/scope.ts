import type { KubeObject } from '@hawser/client';
import type { Informer, InformerHandle, InformerSpec } from '@hawser/informer';
import type { Cluster } from './controller.js';
import type { Queue, QueueOptions } from './queue.js';
import type { ToKeys, WatchOptions } from './watches.js';

/** A resource with an owner: a function that ends it, or an object with `close`. */
export type Owned = (() => void | Promise<void>) | { close(): void | Promise<void> };

/**
 * Owns everything that one run of a controller opens, and disposes of it in reverse order. Disposes at once of anything
 * added after the end.
 */
export interface Scope {
  /** Aborts when the controller is stopped, or its context ends. */
  readonly signal: AbortSignal;
  /**
   * Resolves when the setup has succeeded, that is, caches are filled. Pass it to queues, so none reconciles before.
   * Never rejects; the setup must not wait for it.
   */
  readonly ready: Promise<void>;
  /** Shares in the cache of these objects, until the controller stops. */
  cache<T extends KubeObject>(cluster: Pick<Cluster, 'informers'>, spec: InformerSpec): InformerHandle<T>;
  /** Takes a share; released when the controller stops. */
  informer<T extends KubeObject>(handle: InformerHandle<T>): InformerHandle<T>;
  /** Resolves when all informers of this scope have synced; rejects when the controller is stopped. */
  synced(): Promise<void>;
  /** Takes a queue; drained and stopped when the controller stops, without grace if its context has ended. */
  queue<Q extends Queue>(queue: Q): Q;
  /** Opens a queue of this scope, in the context of its controller. It starts when the scope is ready. */
  openQueue(options: Omit<QueueOptions, 'clock' | 'random' | 'logger' | 'metrics' | 'ready'>): Queue;
  /** Enqueues the keys that a changed object concerns, as `watch` of a declared controller does. Ends with the scope. */
  watch<T extends KubeObject>(informer: Informer<T>, queue: Queue, toKeys: ToKeys<T>, options?: WatchOptions<T>): void;
  /** Calls `changed` for each object that exists, comes, changes or goes (with its last state). */
  onChange<T extends KubeObject>(informer: Informer<T>, changed: (object: T) => void): void;
  /** Disposes of it when the controller stops, before everything that was added earlier. Returns it. */
  own<T extends Owned>(owned: T): T;
  /**
   * Calls `tick` every `ms` milliseconds of the context's clock until the controller stops, earlier by a random share
   * of at most `jitter` (0 to 1, default 0). The time counts from the end of the last tick, so ticks never overlap. A
   * failing tick is logged and does not stop the next.
   */
  every(ms: number, tick: () => void | Promise<void>, jitter?: number): void;
}
