import { describe, expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';

import type { ControllerContext } from './controller.js';
import { createController } from './create-controller.js';

function context(clock = new FakeClock()): ControllerContext & { readonly end: AbortController } {
  const end = new AbortController();
  return { clusters: {}, logger: silentLogger, metrics: noMetrics, clock, random: () => 0, signal: end.signal, end };
}

describe('a controller', () => {
  it('disposes in reverse order, once, however often it is stopped', async () => {
    const ended: string[] = [];
    const controller = createController('test', async (_, scope) => {
      scope.own(() => { ended.push('first'); });
      scope.own({ close: () => { ended.push('second'); } });
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
    const controller = createController('test', (_, scope) => new Promise((_resolve, reject) => { scope.signal.addEventListener('abort', () => { reject(new Error('gave up')); }); }));
    const started = controller.start(context());
    await controller.stop();
    await expect(started).rejects.toThrow('gave up');
  });

  it('is ready only after its setup', async () => {
    const seen: string[] = [];
    const controller = createController('test', async (_, scope) => {
      void scope.ready.then(() => seen.push('ready'));
      await new Promise<void>((resolve) => { setImmediate(resolve); });
      seen.push('set up');
    });
    await controller.start(context());
    await new Promise<void>((resolve) => { setImmediate(resolve); });
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

  it('does not start in a context that has ended', async () => {
    const ctx = context();
    ctx.end.abort(new Error('over'));
    await expect(createController('test', () => Promise.resolve()).start(ctx)).rejects.toThrow('over');
  });

  it('ticks until it is stopped', async () => {
    const clock = new FakeClock();
    let ticks = 0;
    const controller = createController('test', (_, scope) => {
      scope.every(1_000, () => { ticks++; });
      return Promise.resolve();
    });
    await controller.start(context(clock));
    await clock.advance(3_500);
    await controller.stop();
    await clock.advance(5_000);
    expect([ticks, clock.pendingTimers]).toEqual([3, 0]);
  });
});
