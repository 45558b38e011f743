import type { KubeObject } from '@hawser/client';
import type { TimerHandle } from '@hawser/clock';
import type { InformerHandle } from '@hawser/informer';

import type { Controller, ControllerContext } from './controller.js';
import type { Queue } from './queue.js';
import type { Owned, Scope } from './scope.js';

/** A controller was used against its contract: started twice, or after it was stopped. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError';

  constructor(readonly code: 'AlreadyStarted' | 'Stopped', controller: string) {
    super(code === 'Stopped' ? `controller ${controller} was stopped` : `controller ${controller} was started already`);
  }
}

/**
 * Makes a controller out of its setup. `setup` opens what it needs through `scope`, waits until its caches are filled, and returns; from then on its
 * queues work. A setup that throws leaves nothing open. Each controller runs once.
 */
export function createController<Names extends string>(name: string, setup: (ctx: ControllerContext<Names>, scope: Scope) => Promise<void>): Controller<Names> {
  const closing = new AbortController();
  const ready = Promise.withResolvers<undefined>();
  const owned: Owned[] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const dispose = async (): Promise<void> => {
    for (let last = owned.pop(); last !== undefined; last = owned.pop()) {
      await (typeof last === 'function' ? last() : last.close());
    }
  };
  const run = async (ctx: ControllerContext<Names>): Promise<void> => {
    const signal = AbortSignal.any([ctx.signal, closing.signal]);
    signal.throwIfAborted();
    try {
      await setup(ctx, scopeOf(ctx, signal, ready.promise, owned));
      signal.throwIfAborted();
      ready.resolve(undefined);
    } catch (error) {
      closing.abort(error);
      await dispose();
      throw error;
    }
  };

  return {
    name,
    start(ctx) {
      if (stopping !== undefined) return Promise.reject(new ControllerError('Stopped', name));
      if (starting !== undefined) return Promise.reject(new ControllerError('AlreadyStarted', name));
      starting = run(ctx);
      return starting;
    },
    stop() {
      stopping ??= (async () => {
        closing.abort(new ControllerError('Stopped', name));
        await starting?.catch(() => undefined);
        await dispose();
      })();
      return stopping;
    },
  };
}

function scopeOf(ctx: ControllerContext, signal: AbortSignal, ready: Promise<void>, owned: Owned[]): Scope {
  return {
    signal,
    ready,
    informer<T extends KubeObject>(handle: InformerHandle<T>) {
      owned.push(() => { handle.release(); });
      return handle;
    },
    queue<Q extends Queue>(queue: Q) {
      owned.push(() => queue.stop());
      return queue;
    },
    own(thing) {
      owned.push(thing);
    },
    every(ms, tick, jitter = 0) {
      let timer: TimerHandle;
      const arm = (): void => {
        timer = ctx.clock.setTimeout(() => {
          arm();
          tick();
        }, ms * (1 - jitter * ctx.random()));
      };
      arm();
      owned.push(() => { timer.cancel(); });
    },
  };
}
