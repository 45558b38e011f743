import { describe, expect, it } from '@jest/globals';

import { ApiError, type Client, type KubeObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import type { InformerHandle, InformerHandler } from '@hawser/informer';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { roughEdge } from '@hawser/testenv';

import type { Cluster, ControllerContext } from './controller.js';
import { createController } from './create-controller.js';
import { createQueue } from './keyed-queue.js';
import { type Queue, done } from './queue.js';

function context(
  clock = new FakeClock(),
): ControllerContext & { readonly end: AbortController; readonly clock: FakeClock } {
  const end = new AbortController();
  return { clusters: {}, logger: silentLogger, metrics: noMetrics, clock, random: () => 0, signal: end.signal, end };
}

roughEdge('R20', 'a controller is told of an object that went while nobody watched', async () => {
  let handler: InformerHandler<KubeObject> = {};
  const informer = {
    addHandler: (given: InformerHandler<KubeObject>) => {
      handler = given;
      return { close: () => undefined };
    },
  } as unknown as InformerHandle<KubeObject>;
  const changed: string[] = [];
  const controller = createController('test', (_, scope) => {
    scope.onChange(informer, ({ metadata }) => {
      changed.push(metadata.name);
    });
    return Promise.resolve();
  });
  await controller.start(context());
  for (const witnessed of [true, false])
    handler.onDelete?.(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: witnessed ? 'seen' : 'unseen' } },
      witnessed,
      witnessed ? 'seen' : 'unseen',
      false,
    );
  await controller.stop();
  expect(changed).toEqual(['seen', 'unseen']);
});

describe('a controller', () => {
  it('disposes in reverse order, once, however often it is stopped', async () => {
    const ended: string[] = [];
    const controller = createController('test', async (_, scope) => {
      scope.own(() => {
        ended.push('first');
      });
      scope.own({
        close: () => {
          ended.push('second');
        },
      });
      await Promise.resolve();
    });
    await controller.start(context());
    await Promise.all([controller.stop(), controller.stop()]);
    expect(ended).toEqual(['second', 'first']);
  });

  it('leaves nothing open when its setup fails', async () => {
    const clock = new FakeClock();
    const controller = createController('test', (_, scope) => {
      scope.every(1_000, () => undefined);
      return Promise.reject(new Error('no such cluster'));
    });
    await expect(controller.start(context(clock))).rejects.toThrow('no such cluster');
    expect(clock.pendingTimers).toBe(0);
    await controller.stop();
  });

  it('stops while it is still being set up', async () => {
    const controller = createController(
      'test',
      (_, scope) =>
        new Promise((_resolve, reject) => {
          scope.signal.addEventListener('abort', () => {
            reject(new Error('gave up'));
          });
        }),
    );
    const started = controller.start(context());
    await controller.stop();
    await expect(started).rejects.toThrow('gave up');
  });

  it('is ready only after its setup', async () => {
    const seen: string[] = [];
    const controller = createController('test', async (_, scope) => {
      void scope.ready.then(() => seen.push('ready'));
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      seen.push('set up');
    });
    await controller.start(context());
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    expect(seen).toEqual(['set up', 'ready']);
    await controller.stop();
  });

  it('starts once, and not after it was stopped', async () => {
    const controller = createController('test', () => Promise.resolve());
    await controller.start(context());
    await expect(controller.start(context())).rejects.toMatchObject({ code: 'AlreadyStarted' });
    await controller.stop();
    await expect(controller.start(context())).rejects.toMatchObject({ code: 'Stopped' });
  });

  it('is told of every object, whatever becomes of it, and has it looked at once it is ready', async () => {
    let handler: InformerHandler<KubeObject> = {};
    let closed = false;
    const informer = {
      addHandler: (given: InformerHandler<KubeObject>) => {
        handler = given;
        return {
          close: () => {
            closed = true;
          },
        };
      },
    } as unknown as InformerHandle<KubeObject>;
    const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const looked: string[] = [];
    const clock = new FakeClock();
    const controller = createController('test', (_, scope) => {
      const queue = scope.openQueue({
        name: 'test',
        concurrency: 1,
        reconcile: (key) => {
          looked.push(key);
          return Promise.resolve(done);
        },
      });
      scope.onChange(informer, ({ metadata }) => {
        queue.add(metadata.name);
      });
      handler.onAdd?.(object('there'), true, 'there', false);
      return Promise.resolve();
    });
    await controller.start(context(clock));
    await clock.advance(0);
    handler.onUpdate?.(object('before'), object('after'), 'after', false);
    handler.onDelete?.(object('gone'), true, 'gone', false);
    await clock.advance(0);
    await controller.stop();
    handler.onAdd?.(object('late'), false, 'late', false);
    expect([looked, closed]).toEqual([['there', 'after', 'gone'], true]);
  });

  it('tries what failed for want of a right soon after the right is there', async () => {
    const clock = new FakeClock();
    const world = { allowed: false, looked: 0, asked: 0 };
    const client = {
      name: 'provider',
      create: () => {
        world.asked++;
        return Promise.resolve({ status: { allowed: world.allowed } });
      },
    } as unknown as Client;
    const refused = new ApiError('Forbidden', 'User "x" cannot create resource "roles"', {
      cluster: 'provider',
      verb: 'create',
      resource: 'roles.rbac.authorization.k8s.io',
      namespace: 'team',
    });
    const controller = createController('test', (_, scope) => {
      scope
        .openQueue({
          name: 'test',
          concurrency: 1,
          reconcile: () => {
            world.looked++;
            return world.allowed
              ? Promise.resolve(done)
              : Promise.reject(new Error('a step failed', { cause: refused }));
          },
        })
        .add('one');
      return Promise.resolve();
    });
    await controller.start({
      ...context(clock),
      clusters: { provider: { name: 'provider', client } as unknown as Cluster },
    });
    await clock.advance(3_600_000);
    expect(world.asked).toBeLessThanOrEqual(6 + 3_600 / 15);
    world.allowed = true;
    world.looked = 0;
    await clock.advance(31_000);
    expect(world.looked).toBe(1);
    await controller.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('tries what waited for a server as soon as that works again', async () => {
    const clock = new FakeClock();
    const world = { works: false, looked: 0 };
    const listeners = new Set<() => void>();
    const recovery = {
      onRecovered: (listener: () => void) => {
        listeners.add(listener);
        return {
          close: () => {
            listeners.delete(listener);
          },
        };
      },
    };
    const unreachable = new ApiError('Unreachable', 'refused', {
      cluster: 'provider',
      verb: 'get',
      resource: 'databases',
    });
    const controller = createController('test', (_, scope) => {
      scope
        .openQueue({
          name: 'test',
          concurrency: 1,
          reconcile: () => {
            world.looked++;
            return world.works ? Promise.resolve(done) : Promise.reject(unreachable);
          },
        })
        .add('one');
      return Promise.resolve();
    });
    await controller.start({
      ...context(clock),
      clusters: { provider: { name: 'provider', client: { name: 'provider', recovery } } as unknown as Cluster },
    });
    await clock.advance(3_600_000);
    world.works = true;
    world.looked = 0;
    for (const listener of listeners) listener();
    await clock.advance(1_000);
    expect(world.looked).toBe(1);
    await controller.stop();
    expect([clock.pendingTimers, listeners.size]).toEqual([0, 0]);
  });

  it('does not start in a context that has ended', async () => {
    const ctx = context();
    ctx.end.abort(new Error('over'));
    await expect(createController('test', () => Promise.resolve()).start(ctx)).rejects.toThrow('over');
  });

  it('ticks until it is stopped', async () => {
    const clock = new FakeClock();
    let ticks = 0;
    const controller = createController('test', (_, scope) => {
      scope.every(1_000, () => {
        ticks++;
      });
      return Promise.resolve();
    });
    await controller.start(context(clock));
    await clock.advance(3_500);
    await controller.stop();
    await clock.advance(5_000);
    expect([ticks, clock.pendingTimers]).toEqual([3, 0]);
  });

  it('ticks on after a tick that failed, never twice at once, and ends only after the tick that is under way', async () => {
    const clock = new FakeClock();
    const errors: string[] = [];
    const ticks: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const controller = createController('test', (_, scope) => {
      scope.every(
        1_000,
        () =>
          new Promise<void>((resolve, reject) => {
            ticks.push({ resolve, reject });
          }),
        0.5,
      );
      return Promise.resolve();
    });
    await controller.start({
      ...context(clock),
      random: () => 0.5,
      logger: {
        ...silentLogger,
        error: (message) => {
          errors.push(message);
        },
      },
    });
    await clock.advance(749);
    expect(ticks).toHaveLength(0);
    await clock.advance(10_000);
    expect(ticks).toHaveLength(1);
    ticks[0]!.reject(new Error('no'));
    await clock.advance(750);
    expect(ticks).toHaveLength(2);
    expect(errors).toEqual(['A regular task of a controller failed.']);
    let stopped = false;
    const stopping = controller.stop().then(() => {
      stopped = true;
    });
    await clock.advance(0);
    expect(stopped).toBe(false);
    ticks[1]!.resolve();
    await stopping;
    expect(clock.pendingTimers).toBe(0);
  });

  it('disposes of the rest although something cannot be closed', async () => {
    const ended: string[] = [];
    const errors: string[] = [];
    const controller = createController('test', (_, scope) => {
      scope.own(() => {
        ended.push('first');
      });
      scope.own(() => Promise.reject(new Error('stuck')));
      scope.own(() => {
        throw new Error('stuck');
      });
      scope.own(() => {
        ended.push('last');
      });
      return Promise.resolve();
    });
    await controller.start({
      ...context(),
      logger: {
        ...silentLogger,
        error: (message) => {
          errors.push(message);
        },
      },
    });
    await controller.stop();
    expect(ended).toEqual(['last', 'first']);
    expect(errors).toHaveLength(2);
  });

  it('disposes of what is handed over after its end', async () => {
    let late: (() => void) | undefined;
    let closed = false;
    const controller = createController('test', (_, scope) => {
      late = () => {
        scope.own(() => {
          closed = true;
        });
      };
      return Promise.resolve();
    });
    await controller.start(context());
    await controller.stop();
    late?.();
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    expect(closed).toBe(true);
  });

  it('ends when its context ends, although nobody stops it', async () => {
    const ctx = context();
    let closed = false;
    const controller = createController('test', (_, scope) => {
      scope.own(() => {
        closed = true;
      });
      return Promise.resolve();
    });
    await controller.start(ctx);
    ctx.end.abort(new Error('over'));
    await controller.stop();
    expect(closed).toBe(true);
  });

  it.each(['stop', 'end of the context'])('ends its queues on %s', async (how) => {
    const ctx = context();
    const aborted: boolean[] = [];
    let release: (() => void) | undefined;
    let queue: Queue | undefined;
    const controller = createController('test', (_, scope) => {
      queue = scope.queue(
        createQueue({
          ...ctx,
          name: 'test',
          concurrency: 1,
          ready: scope.ready,
          reconcile: (_key, signal) =>
            new Promise((resolve) => {
              release = () => {
                aborted.push(signal.aborted);
                resolve(done);
              };
            }),
        }),
      );
      queue.add('a');
      return Promise.resolve();
    });
    expect(release).toBeUndefined();
    await controller.start(ctx);
    await ctx.clock.advance(0);
    if (how === 'stop') void controller.stop();
    else ctx.end.abort(new Error('over'));
    await ctx.clock.advance(0);
    release?.();
    await controller.stop();
    expect(aborted).toEqual([how !== 'stop']);
    expect(queue?.size).toBe(0);
    expect(ctx.clock.pendingTimers).toBe(0);
  });

  it('ends a queue at once that drains when its context ends', async () => {
    const ctx = context();
    let aborted = false;
    const controller = createController('test', (_, scope) => {
      scope
        .queue(
          createQueue({
            ...ctx,
            name: 'test',
            concurrency: 1,
            ready: scope.ready,
            reconcile: (_key, signal) =>
              new Promise((resolve) => {
                signal.addEventListener('abort', () => {
                  aborted = true;
                  resolve(done);
                });
              }),
          }),
        )
        .add('a');
      return Promise.resolve();
    });
    await controller.start(ctx);
    await ctx.clock.advance(0);
    const stopping = controller.stop();
    await ctx.clock.advance(0);
    expect(aborted).toBe(false);
    ctx.end.abort(new Error('over'));
    await stopping;
    expect(aborted).toBe(true);
  });

  it('waits for the informers of its scope', async () => {
    const synced = Promise.withResolvers<undefined>();
    let released = false;
    const handle: Pick<InformerHandle<KubeObject>, 'synced' | 'release'> = {
      synced: () => synced.promise,
      release: () => {
        released = true;
      },
    };
    const controller = createController('test', async (_, scope) => {
      scope.informer(handle as InformerHandle<KubeObject>);
      await scope.synced();
    });
    let started = false;
    const starting = controller.start(context()).then(() => {
      started = true;
    });
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    expect(started).toBe(false);
    synced.resolve(undefined);
    await starting;
    await controller.stop();
    expect(released).toBe(true);
  });
});
