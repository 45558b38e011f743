import type { KubeObject } from '@hawser/client';
import type { Informer, InformerHandle } from '@hawser/informer';

import type { Queue, QueueOptions } from './queue.js';

/** Something with an owner: a function that ends it, or an object that can be closed. */
export type Owned = (() => void | Promise<void>) | { close(): void | Promise<void> };

/** Owns everything that one run of a controller opens, and disposes of it in reverse order. What is handed over after the end is disposed of at once. */
export interface Scope {
  /** Aborts when the controller is told to stop, or its context ends. */
  readonly signal: AbortSignal;
  /** Resolves when the setup has ended well, that is, caches are filled: give it to queues, so that none reconciles before. Never rejects; the setup must not wait for it. */
  readonly ready: Promise<void>;
  /** Releases the share when the controller stops. */
  informer<T extends KubeObject>(handle: InformerHandle<T>): InformerHandle<T>;
  /** Resolves when all informers of this scope have synced; rejects when the controller is told to stop. */
  synced(): Promise<void>;
  /** Drains and stops the queue when the controller stops; without grace if its context has ended. */
  queue<Q extends Queue>(queue: Q): Q;
  /** A queue of this scope, in the context of its controller, that starts when the scope is ready. */
  openQueue(options: Omit<QueueOptions, 'clock' | 'random' | 'logger' | 'metrics' | 'ready'>): Queue;
  /** Tells of each object that is there, comes, changes or goes (as it was last), whichever it is. */
  onChange<T extends KubeObject>(informer: Informer<T>, changed: (object: T) => void): void;
  own(owned: Owned): void;
  /**
   * Calls `tick` every `ms` milliseconds of the context's clock, up to `jitter` (0 to 1, default 0) of it earlier, until the controller stops.
   * The time counts from the end of the tick before, so ticks never overlap. One that fails is logged, and the next comes all the same.
   */
  every(ms: number, tick: () => void | Promise<void>, jitter?: number): void;
}
