import type { KubeObject } from '@hawser/client';
import type { Cluster, Controller, ControllerContext } from './controller.js';
import { createController } from './create-controller.js';
import type { Priority, Queue } from './queue.js';
import type { Action, ActionOf, Decision, Reconciler } from './reconciler.js';
import type { Scope } from './scope.js';
import { SettleLoop } from './settle-loop.js';
import { type ToKeys, type WatchOptions, handlerOf, toOwnKey } from './watches.js';
import { type WatchSpec, type Watched, watched } from './watched.js';

/** How a key is looked at. */
export interface LookOptions {
  /** Default `background`. */
  readonly priority?: Priority | undefined;
  /** Not before so many milliseconds; the earliest of several such looks counts. Default 0. */
  readonly afterMs?: number | undefined;
  /** It may cure a failed try, and so ends its back-off. Default false. */
  readonly cures?: boolean | undefined;
}

/** What a controller is built from. */
export interface Setup<Names extends string> extends ControllerContext<Names> {
  /**
   * Watches objects of a cluster. Whatever happens to one has the keys that it concerns looked at. Returns the cache. Called after the start, for what is watched only once it is needed, it fills while the
   * controller works: ask `hasSynced`.
   */
  readonly watch: <T extends KubeObject = KubeObject>(
    cluster: Cluster,
    spec: WatchSpec,
    toKeys: ToKeys<T>,
    options?: WatchOptions<T>,
  ) => Watched<T>;
  /** Has a key looked at, for what no watch tells of. Not before the controller has started. A priority alone may stand for the options. */
  readonly look: (key: string, options?: Priority | LookOptions) => void;
  /** For timers, and for whatever else has to end with the controller. */
  readonly scope: Pick<Scope, 'every' | 'own' | 'signal'>;
}

/**
 * A controller, declared: `build` says what is watched and how that becomes keys, and returns how a key is observed, decided and acted on. The queue, the handlers, the loop until
 * nothing is left to do, conflicts, Events, restarts and the end are the same for all controllers, and are written here.
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
      const handle = scope.informer(cluster.informers.acquire<T>(informerSpec));
      const cache = watched(
        handle,
        cluster,
        { kind, apiVersion, ...informerSpec },
        context,
        () => reconciler.fieldManager ?? `hawser-${name}`,
      );
      if (toKeys === toOwnKey) own ??= cache;
      const connectTo = (queue: Queue): void => {
        scope.own(handle.addHandler(handlerOf(queue, toKeys, options)));
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
    // A shared cache may be filled, and tells at once: all that `build` declares is there only now.
    for (const one of connect) one(queue);
    connect = undefined;
    await (reconciler.filled?.(scope.signal) ?? scope.synced());
    for (const key of reconciler.initial?.() ?? []) queue.add(key);
  });
}
