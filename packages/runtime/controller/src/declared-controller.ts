import type { KubeObject } from '@hawser/client';
import type { Cluster, Controller, ControllerContext } from './controller.js';
import { createController } from './create-controller.js';
import type { Priority, Queue } from './queue.js';
import type { Action, ActionOf, Decision, Reconciler } from './reconciler.js';
import type { Scope } from './scope.js';
import { SettleLoop } from './settle-loop.js';
import { type ToKeys, type WatchOptions, toOwnKey } from './watches.js';
import { type WatchSpec, type Watched, watched } from './watched.js';

/** Options of a look at a key. */
export interface LookOptions {
  /** Default `background`. */
  readonly priority?: Priority | undefined;
  /** Delay in milliseconds; the earliest of several looks counts. Default 0. */
  readonly afterMs?: number | undefined;
  /** Ends the back-off of the key: the look may succeed now. Default false. */
  readonly cures?: boolean | undefined;
}

/** Input for building a controller. */
export interface Setup<Names extends string> extends ControllerContext<Names> {
  /**
   * Watches objects of a cluster and enqueues the keys of every change. Returns the cache. When called after the start,
   * the cache fills while the controller works: ask `hasSynced`.
   */
  readonly watch: <T extends KubeObject = KubeObject>(
    cluster: Cluster,
    spec: WatchSpec,
    toKeys: ToKeys<T>,
    options?: WatchOptions<T>,
  ) => Watched<T>;
  /**
   * Enqueues a key without a watch event. Takes effect only after the start. A priority alone may stand for the
   * options.
   */
  readonly look: (key: string, options?: Priority | LookOptions) => void;
  /** Owns timers, and everything else that ends with the controller. */
  readonly scope: Pick<Scope, 'every' | 'own' | 'signal'>;
}

/**
 * Declares a controller. `build` says what to watch and how changes become keys, and returns `observe`, `decide` and
 * `act` for a key. Queue, handlers, the loop until no action is left, conflicts, Events, restarts and disposal are the
 * same for all controllers, and are written here.
 *
 * Each returned controller runs once: export a function that makes one.
 */
export function controller<Names extends string, Observed, D extends Decision<Action>>(
  name: string,
  build: (setup: Setup<Names>) => Reconciler<Observed, D>,
): Controller<Names> {
  return createController<Names>(name, async (context, scope) => {
    /** Undefined: the queue is open. */
    let connect: ((queue: Queue) => void)[] | undefined = [];
    let own: Watched<KubeObject> | undefined;
    const watch = <T extends KubeObject>(
      cluster: Cluster,
      spec: WatchSpec,
      toKeys: ToKeys<T>,
      options: WatchOptions<T> = {},
    ): Watched<T> => {
      const { kind, apiVersion, ...informerSpec } = spec;
      const handle = scope.cache<T>(cluster, informerSpec);
      const cache = watched(
        handle,
        cluster,
        { kind, apiVersion, ...informerSpec },
        context,
        () => reconciler.fieldManager ?? `hawser-${name}`,
      );
      if (toKeys === toOwnKey) own ??= cache;
      const connectTo = (queue: Queue): void => {
        scope.watch(handle, queue, toKeys, options);
      };
      if (connect === undefined) connectTo(queue);
      else connect.push(connectTo);
      return cache;
    };
    const look = (key: string, options: Priority | LookOptions = {}): void => {
      const {
        priority = 'background',
        afterMs,
        cures = false,
      } = typeof options === 'string' ? { priority: options } : options;
      if (afterMs === undefined) queue.add(key, { priority, resetBackoff: cures });
      else queue.addAfter(key, afterMs, priority);
    };
    const reconciler = build({ ...context, watch, look, scope });
    const about = (observed: Observed, key: string, action?: ActionOf<D>) =>
      reconciler.about === undefined ? own?.about(own.get(key)) : reconciler.about(observed, key, action);
    const loop = new SettleLoop(reconciler, { name, context, about });
    const queue = scope.openQueue({
      name,
      concurrency: reconciler.concurrency ?? 4,
      ...(reconciler.backoff === undefined ? {} : { backoff: reconciler.backoff }),
      reconcile: (key, signal) => loop.run(key, signal),
    });
    // Connect late: a shared cache may be filled and deliver at once, and now `build` has declared everything.
    for (const one of connect) one(queue);
    connect = undefined;
    await (reconciler.filled?.(scope.signal) ?? scope.synced());
    for (const key of reconciler.initial?.() ?? []) queue.add(key);
  });
}
