import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@hawser/client';
import { FakeClock, systemClock } from '@hawser/clock';
import { type Labels, type Logger, type Metrics, noMetrics, silentLogger } from '@hawser/telemetry';
import fc from 'fast-check';
import { createQueue } from './keyed-queue.js';
import { type Priority, type Queue, type QueueOptions, type Result, done, park } from './queue.js';

/** A queue whose reconciles the test ends by hand. */
function manual(options: Partial<QueueOptions> = {}) {
  const clock = new FakeClock(0);
  const started: string[] = [];
  const open = new Map<
    string,
    { resolve: (result: Result) => void; reject: (error: unknown) => void; signal: AbortSignal }
  >();
  const queue = createQueue({
    name: 'test',
    concurrency: 1,
    clock,
    random: () => 0,
    logger: silentLogger,
    metrics: noMetrics,
    reconcile: (key, signal) => {
      started.push(key);
      return new Promise((resolve, reject) => {
        open.set(key, { resolve, reject, signal });
      });
    },
    ...options,
  });
  const finish = async (key: string, result: Result = done) => {
    open.get(key)!.resolve(result);
    open.delete(key);
    await clock.advance(0);
  };
  const fail = async (key: string, error: unknown = new Error('no')) => {
    open.get(key)!.reject(error);
    open.delete(key);
    await clock.advance(0);
  };
  return { queue, clock, started, open, finish, fail };
}

describe('a queue', () => {
  it('takes a key once, however often it is added', async () => {
    const { queue, clock, started, finish } = manual();
    for (let i = 0; i < 3; i++) queue.add('a');
    queue.add('b');
    expect(started).toEqual([]);
    expect(queue.size).toBe(2);
    await clock.advance(0);
    await finish('a');
    await finish('b');
    expect(started).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
  });

  it('uses no more slots than its limit allows at present, and all of them again when it is lifted', async () => {
    let limit = 3;
    const { queue, clock, started, open, finish } = manual({ concurrency: 4, limit: () => limit });
    for (let key = 0; key < 12; key++) queue.add(String(key));
    await clock.advance(0);
    expect(started).toHaveLength(3);
    limit = 1;
    await finish('0');
    await finish('1');
    expect([...open.keys()]).toEqual(['2']);
    await finish('2');
    expect([...open.keys()]).toEqual(['3']);
    // None at all would be a queue that nobody wakes up again.
    limit = 0;
    await finish('3');
    expect([...open.keys()]).toEqual(['4']);
    limit = 10;
    await finish('4');
    expect(open.size).toBe(4);
    for (let key = 5; key < 12; key++) await finish(String(key));
    expect(started).toHaveLength(12);
    expect(queue.size).toBe(0);
  });

  it('runs a key once more that was added while it ran', async () => {
    const { queue, clock, started, finish } = manual({ concurrency: 4 });
    queue.add('a');
    await clock.advance(0);
    queue.add('a');
    queue.add('a');
    await clock.advance(0);
    expect(started).toEqual(['a']);
    await finish('a');
    expect(started).toEqual(['a', 'a']);
    await finish('a');
    expect(started).toHaveLength(2);
  });

  it('runs it once more after park and requeue too, and at once', async () => {
    const { queue, clock, started, finish } = manual();
    queue.add('a');
    await clock.advance(0);
    queue.add('a');
    await finish('a', park);
    queue.add('a');
    await finish('a', { kind: 'requeue', afterMs: 60_000 });
    expect(started).toHaveLength(3);
    await finish('a');
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes urgent before normal before background, whatever came first', async () => {
    const { queue, clock, started, finish } = manual();
    queue.add('low', { priority: 'background' });
    queue.add('mid');
    queue.add('high', { priority: 'urgent' });
    queue.add('low2', { priority: 'background' });
    queue.add('low2', { priority: 'urgent' });
    queue.add('high', { priority: 'background' });
    await clock.advance(0);
    for (const key of ['high', 'low2', 'mid', 'low']) await finish(key);
    expect(started).toEqual(['high', 'low2', 'mid', 'low']);
  });

  it('keeps background work waiting while anything else is queued, and then does it', async () => {
    const { queue, clock, started, finish } = manual();
    queue.add('low', { priority: 'background' });
    queue.add('n0');
    await clock.advance(0);
    for (let i = 0; i < 5; i++) {
      queue.add(`n${i + 1}`);
      await finish(`n${i}`);
    }
    await finish('n5');
    await finish('low');
    expect(started).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'low']);
  });

  it('fills its slots and no more', async () => {
    const { queue, clock, started, finish } = manual({ concurrency: 3 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
    await clock.advance(0);
    expect(started).toEqual(['a', 'b', 'c']);
    await finish('b');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('backs off exponentially with jitter and a cap, and forgets after a success', async () => {
    const { queue, clock, started, fail, finish } = manual({
      random: () => 0.5,
      backoff: { initialMs: 100, capMs: 300 },
    });
    queue.add('a');
    await clock.advance(0);
    // Half of the delay is random, and the random number is a half: three quarters of 100, 200, 300, 300.
    for (const [failure, delay] of [75, 150, 225, 225].entries()) {
      await fail('a');
      await clock.advance(delay - 1);
      expect(started).toHaveLength(failure + 1);
      await clock.advance(1);
      expect(started).toHaveLength(failure + 2);
    }
    await finish('a');
    queue.add('a');
    await clock.advance(0);
    await fail('a');
    await clock.advance(75);
    expect(started).toHaveLength(7);
  });

  it('keeps to the back-off however often the key is added, unless the add resets it', async () => {
    const { queue, clock, started, fail } = manual({ backoff: { initialMs: 1000, capMs: 10_000 } });
    queue.add('a');
    await clock.advance(0);
    await fail('a');
    queue.add('a');
    queue.addAfter('a', 10);
    await clock.advance(999);
    expect(started).toHaveLength(1);
    await clock.advance(1);
    expect(started).toHaveLength(2);
    await fail('a');
    await clock.advance(500);
    queue.add('a', { resetBackoff: true });
    await clock.advance(0);
    expect(started).toHaveLength(3);
    await fail('a');
    await clock.advance(1000);
    expect(started).toHaveLength(4);
  });

  it('runs at once after a failure if an add during the run reset the back-off', async () => {
    const { queue, clock, started, fail } = manual({ backoff: { initialMs: 1000, capMs: 10_000 } });
    queue.add('a');
    await clock.advance(0);
    queue.add('a', { resetBackoff: true });
    await fail('a');
    expect(started).toHaveLength(2);
  });

  it('waits as long as the server asked, even if the back-off is reset', async () => {
    const { queue, clock, started, fail } = manual({ backoff: { initialMs: 10, capMs: 10 } });
    queue.add('a');
    await clock.advance(0);
    await fail('a', new Error('wrapped', { cause: Object.assign(new Error('slow down'), { retryAfterMs: 5000 }) }));
    queue.add('a', { resetBackoff: true });
    await clock.advance(4999);
    expect(started).toHaveLength(1);
    await clock.advance(1);
    expect(started).toHaveLength(2);
    queue.add('a', { resetBackoff: true });
    await fail('a', Object.assign(new Error('slow down'), { retryAfterMs: 3000 }));
    await clock.advance(2999);
    expect(started).toHaveLength(2);
    await clock.advance(1);
    expect(started).toHaveLength(3);
  });

  it('logs when the next try really comes: at once after a reset, later where the reconcile waits by itself', async () => {
    const logged: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (_, fields) => {
        logged.push(fields?.['retryInMs']);
      },
    };
    const parked = { ms: 0 };
    const { queue, clock, fail } = manual({
      logger,
      retriesInMs: () => parked.ms,
      backoff: { initialMs: 10, capMs: 10 },
    });
    queue.add('a');
    await clock.advance(0);
    queue.add('a', { resetBackoff: true });
    await fail('a');
    await fail('a');
    await clock.advance(10);
    parked.ms = 2_000;
    await fail('a');
    expect(logged).toEqual([0, 10, 2_000]);
  });

  it('keeps the failures of a parked key', async () => {
    const seen: number[] = [];
    const { queue, clock, fail, finish } = manual({
      onFailure: (_key, _error, failures) => {
        seen.push(failures);
      },
      backoff: { initialMs: 10, capMs: 10 },
    });
    queue.add('a');
    await clock.advance(0);
    await fail('a');
    await clock.advance(10);
    await finish('a', park);
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    queue.add('a');
    await clock.advance(0);
    await fail('a');
    expect(seen).toEqual([1, 2]);
  });

  it('requeues after the time asked for, in the priority asked for; an earlier run makes that void', async () => {
    const { queue, clock, started, finish } = manual();
    queue.add('a');
    await clock.advance(0);
    await finish('a', { kind: 'requeue', afterMs: 1000, priority: 'background' });
    expect(queue.size).toBe(1);
    await clock.advance(999);
    expect(started).toHaveLength(1);
    await clock.advance(1);
    expect(started).toHaveLength(2);
    await finish('a', { kind: 'requeue', afterMs: 1000 });
    queue.add('a');
    await clock.advance(0);
    await finish('a');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(5000);
    expect(started).toHaveLength(3);
  });

  it('adds later, at the earliest of several times, and still does if the key runs before', async () => {
    const { queue, clock, started, finish } = manual();
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    queue.addAfter('a', 900);
    expect(clock.pendingTimers).toBe(1);
    queue.add('a');
    await clock.advance(0);
    await finish('a');
    await clock.advance(199);
    expect(started).toHaveLength(1);
    await clock.advance(1);
    expect(started).toHaveLength(2);
    await finish('a');
    await clock.advance(10_000);
    expect(started).toHaveLength(2);
    queue.addAfter('b', 0);
    queue.addAfter('c', Number.NaN);
    await clock.advance(0);
    expect(started.slice(2)).toEqual(['b']);
  });

  it('forgets failures and delay', async () => {
    const { queue, clock, started, fail } = manual();
    queue.addAfter('a', 100);
    queue.forget('a');
    queue.add('b');
    await clock.advance(0);
    await fail('b');
    queue.forget('b');
    queue.forget('never seen');
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1_000_000);
    expect(started).toEqual(['b']);
  });

  it('treats a throwing or nonsensical reconcile as a failure, and survives its handler', async () => {
    const errors: unknown[] = [];
    const clock = new FakeClock(0);
    const queue = createQueue({
      name: 'test',
      concurrency: 1,
      clock,
      random: () => 0,
      logger: silentLogger,
      metrics: noMetrics,
      reconcile: (key) => {
        if (key === 'sync') throw new Error('thrown');
        if (key === 'nan') return Promise.resolve({ kind: 'requeue', afterMs: Number.NaN });
        if (key === 'nothing') return Promise.resolve(undefined as unknown as Result);
        return Promise.resolve(done);
      },
      onFailure: (key, error) => {
        errors.push(error);
        queue.add(key);
        throw new Error('handler');
      },
    });
    for (const key of ['sync', 'nan', 'nothing', 'good']) queue.add(key);
    await clock.advance(0);
    await queue.idle();
    expect(errors).toHaveLength(3);
    await queue.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('starts nothing before it is ready', async () => {
    const ready = Promise.withResolvers<undefined>();
    const { queue, clock, started } = manual({ ready: ready.promise });
    queue.add('a');
    await clock.advance(1000);
    expect(started).toEqual([]);
    ready.resolve(undefined);
    await clock.advance(0);
    expect(started).toEqual(['a']);
  });

  it('is idle when nothing waits or runs, delayed keys or not', async () => {
    const { queue, clock, finish } = manual();
    await queue.idle();
    queue.addAfter('later', 1000);
    await queue.idle();
    queue.add('a');
    let idle = false;
    void queue.idle().then(() => {
      idle = true;
    });
    await clock.advance(0);
    expect(idle).toBe(false);
    await finish('a');
    expect(idle).toBe(true);
  });

  it('reconciles in the async context of its maker', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const clock = new FakeClock(0);
    const queue = context.run('maker', () =>
      createQueue({
        name: 'test',
        concurrency: 1,
        clock,
        random: () => 0,
        logger: silentLogger,
        metrics: noMetrics,
        reconcile: () => {
          seen.push(context.getStore());
          return Promise.resolve(done);
        },
      }),
    );
    context.run('adder', () => {
      queue.add('a');
    });
    await queue.idle();
    expect(seen).toEqual(['maker']);
  });

  it('gives the event loop a turn although no reconcile ever waits', async () => {
    let turns = 0;
    let running = true;
    const tick = (): void => {
      turns++;
      if (running) setImmediate(tick);
    };
    setImmediate(tick);
    const queue = createQueue({
      name: 'test',
      concurrency: 8,
      clock: systemClock,
      random: () => 0,
      logger: silentLogger,
      metrics: noMetrics,
      reconcile: () => Promise.resolve(done),
    });
    for (let i = 0; i < 5000; i++) queue.add(String(i));
    await queue.idle();
    running = false;
    expect(turns).toBeGreaterThan(20);
    await queue.stop();
  });
});

describe('stopping a queue', () => {
  it('drains what runs, starts nothing more and leaves no timer', async () => {
    const { queue, clock, started, finish, open } = manual({ concurrency: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    queue.addAfter('d', 10);
    await clock.advance(0);
    let stopped = false;
    const stopping = queue.stop(1000).then(() => {
      stopped = true;
    });
    expect(queue.stop()).toBeInstanceOf(Promise);
    queue.add('e');
    queue.addAfter('e', 5);
    await finish('a');
    expect(stopped).toBe(false);
    expect(open.get('b')!.signal.aborted).toBe(false);
    await finish('b', { kind: 'requeue', afterMs: 1 });
    await stopping;
    expect(started).toEqual(['a', 'b']);
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    await queue.idle();
  });

  it('aborts what still runs when the grace is over; a second stop may shorten it', async () => {
    const { queue, clock, open, fail } = manual();
    queue.add('a');
    await clock.advance(0);
    const stopping = queue.stop(1000);
    await clock.advance(999);
    expect(open.get('a')!.signal.aborted).toBe(false);
    void queue.stop(60_000);
    await clock.advance(1);
    expect(open.get('a')!.signal.aborted).toBe(true);
    await fail('a');
    await stopping;

    const second = manual();
    second.queue.add('a');
    await second.clock.advance(0);
    const draining = second.queue.stop(60_000);
    void second.queue.stop(0);
    expect(second.open.get('a')!.signal.aborted).toBe(true);
    await second.fail('a');
    await draining;
    expect(second.clock.pendingTimers).toBe(0);
  });

  it('resolves at once if nothing runs, before and after being ready', async () => {
    const { queue } = manual({ ready: new Promise(() => undefined) });
    queue.add('a');
    await queue.stop();
    await queue.stop();
    await queue.idle();
  });
});

describe('the figures of a queue', () => {
  it('are those of controller-runtime', async () => {
    const figures = new Map<string, number>();
    const note = (name: string, labels: Labels | undefined, by: number): void => {
      const key = `${name}${JSON.stringify(labels)}`;
      figures.set(key, (figures.get(key) ?? 0) + by);
    };
    const metrics: Metrics = {
      ...noMetrics,
      counter: ({ name }) => ({
        inc: (labels, by = 1) => {
          note(name, labels, by);
        },
      }),
      gauge: ({ name }) => ({
        inc: (labels, by = 1) => {
          note(name, labels, by);
        },
        set: () => undefined,
        remove: () => undefined,
      }),
      histogram: ({ name }) => ({
        observe: (value, labels) => {
          note(name, labels, value);
        },
      }),
    };
    const { queue, clock, finish, fail } = manual({ metrics, backoff: { initialMs: 1000, capMs: 1000 } });
    queue.add('a');
    queue.add('a');
    queue.add('b');
    await clock.advance(0);
    await clock.advance(3000);
    await fail('a');
    await finish('b');
    const value = (name: string, labels: Labels = { name: 'test', controller: 'test' }) =>
      figures.get(`${name}${JSON.stringify(labels)}`) ?? 0;
    expect(value('workqueue_adds_total')).toBe(2);
    const depths = (): readonly number[] =>
      ['100', '0', '-100'].map((rank) =>
        value('workqueue_depth', { name: 'test', controller: 'test', priority: rank }),
      );
    expect(depths()).toEqual([0, 0, 0]);
    expect(value('workqueue_retries_total')).toBe(1);
    expect(value('workqueue_work_duration_seconds')).toBe(3);
    expect(value('workqueue_queue_duration_seconds')).toBe(3);
    expect(value('hawser_reconcile_total', { controller: 'test', result: 'error' })).toBe(1);
    expect(value('hawser_reconcile_total', { controller: 'test', result: 'done' })).toBe(1);
    await clock.advance(1000);
    queue.add('c');
    queue.add('d', { priority: 'background' });
    queue.add('e', { priority: 'background' });
    expect(depths()).toEqual([0, 1, 2]);
    queue.add('d', { priority: 'urgent' });
    queue.add('d');
    expect(depths()).toEqual([1, 1, 1]);
    void queue.stop();
    expect(depths()).toEqual([0, 0, 0]);
    await finish('a');
  });
});

type Step =
  | { readonly do: 'add'; readonly key: string; readonly priority: Priority; readonly resetBackoff: boolean }
  | { readonly do: 'after'; readonly key: string; readonly ms: number; readonly priority: Priority }
  | { readonly do: 'forget'; readonly key: string }
  | { readonly do: 'advance'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom<Priority>('urgent', 'normal', 'background');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key, priority, resetBackoff: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('after' as const), key, ms: fc.nat({ max: 500 }), priority }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat({ max: 100 }) }) },
);
const outcome = fc.oneof(
  fc.constantFrom<Result | 'fail' | 'throttled'>(done, park, 'fail', 'throttled'),
  fc.nat({ max: 200 }).map((afterMs): Result => ({ kind: 'requeue', afterMs })),
);

describe('whatever happens to a queue', () => {
  it('no key has two workers, no add is lost, no slot is exceeded, and nothing remains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.array(fc.tuple(outcome, fc.nat({ max: 50 })), { maxLength: 20 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer(),
        async (steps, outcomes, concurrency, seed) => {
          const clock = new FakeClock(0);
          const running = new Set<string>();
          /** Adds that no run has started after yet. */
          const owed = new Map<string, number>();
          let state = seed >>> 0;
          let failure: string | undefined;
          let adds = 0;
          const queue: Queue = createQueue({
            name: 'test',
            concurrency,
            clock,
            logger: silentLogger,
            metrics: noMetrics,
            backoff: { initialMs: 20, capMs: 400 },
            random: () => (state = (state * 1_103_515_245 + 12_345) >>> 0) / 2 ** 32,
            reconcile: async (name) => {
              if (running.has(name)) failure = `two workers for ${name}`;
              running.add(name);
              if (running.size > concurrency) failure = 'too many workers';
              owed.delete(name);
              const [next, ms] = outcomes.shift() ?? [done, 0];
              await new Promise<void>((resolve) => {
                clock.setTimeout(resolve, ms);
              });
              running.delete(name);
              if (next === 'fail') throw new Error('no');
              if (next === 'throttled') throw Object.assign(new Error('slow'), { retryAfterMs: 70 });
              return next;
            },
          });
          for (const one of steps) {
            switch (one.do) {
              case 'add':
                queue.add(one.key, one);
                owed.set(one.key, ++adds);
                break;
              case 'after':
                queue.addAfter(one.key, one.ms, one.priority);
                owed.set(one.key, ++adds);
                break;
              case 'forget':
                // Forgetting takes the pending delay away, and an add that the back-off had absorbed with it.
                queue.forget(one.key);
                owed.delete(one.key);
                break;
              case 'advance':
                await clock.advance(one.ms);
            }
          }
          await clock.advance(30_000);
          expect(failure).toBeUndefined();
          expect([...owed.keys()]).toEqual([]);
          await queue.idle();
          await queue.stop();
          expect(queue.size).toBe(0);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('one worker takes keys by priority, and first come first served within one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 30 }), priority), { maxLength: 60 }), async (adds) => {
        const clock = new FakeClock(0);
        const started: string[] = [];
        const queue = createQueue({
          name: 'test',
          concurrency: 1,
          clock,
          random: () => 0,
          logger: silentLogger,
          metrics: noMetrics,
          reconcile: (name) => {
            started.push(name);
            return Promise.resolve(done);
          },
        });
        const rank: Record<Priority, number> = { urgent: 0, normal: 1, background: 2 };
        const expected = new Map<string, { rank: number; at: number }>();
        adds.forEach(([id, wanted], at) => {
          queue.add(String(id), { priority: wanted });
          const before = expected.get(String(id));
          if (before === undefined || rank[wanted] < before.rank) expected.set(String(id), { rank: rank[wanted], at });
        });
        await queue.idle();
        expect(started).toEqual(
          [...expected].sort(([, a], [, b]) => a.rank - b.rank || a.at - b.at).map(([name]) => name),
        );
      }),
    );
  });
});

describe('the cost of a queue', () => {
  const many = 100_000;
  const fast = (options: Partial<QueueOptions> = {}) =>
    createQueue({
      name: 'test',
      concurrency: 16,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      reconcile: () => Promise.resolve(done),
      ...options,
    });

  // How much each costs is measured by `npm run bench -- queue`. A cost that grows with the keys that wait would not end within the time of a test.
  it('does not grow with the keys that wait: 100 000 are done', async () => {
    let runs = 0;
    const queue = fast({
      reconcile: () => {
        runs++;
        return Promise.resolve(done);
      },
    });
    for (let i = 0; i < many; i++)
      queue.add(`default/object-${i}`, { priority: i % 3 === 0 ? 'background' : 'normal' });
    await queue.idle();
    expect(runs).toBe(many);
    await queue.stop();
  });

  it('is one timer for 100 000 delayed keys', async () => {
    const clock = new FakeClock(0);
    let runs = 0;
    const queue = fast({
      clock,
      reconcile: () => {
        runs++;
        return Promise.resolve(done);
      },
    });
    for (let i = 0; i < many; i++) queue.addAfter(`default/object-${i}`, (i * 7919) % many);
    expect(clock.pendingTimers).toBe(1);
    expect(queue.size).toBe(many);
    clock.stall(many);
    await clock.advance(0);
    await queue.idle();
    expect(runs).toBe(many);
    await queue.stop();
  });
});

describe('a queue at the end of an outage', () => {
  const unreachable = (): Error =>
    new Error('a step failed', {
      cause: new ApiError('Unreachable', 'refused', { cluster: 'provider', verb: 'get', resource: 'databases' }),
    });
  /** `keys` fail because a server cannot be reached, until `works`; `refused` fails for another reason. */
  function broken(count: number, concurrency: number) {
    const world = { works: false, tried: [] as string[] };
    const clock = new FakeClock(0);
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
    const queue = createQueue({
      name: 'test',
      concurrency,
      clock,
      random: () => 0,
      logger: silentLogger,
      metrics: noMetrics,
      recoveries: [recovery, undefined],
      reconcile: (key) => {
        world.tried.push(key);
        if (key === 'refused') return Promise.reject(new Error('refused'));
        return world.works ? Promise.resolve(done) : Promise.reject(unreachable());
      },
    });
    const keys = Array.from({ length: count }, (_, key) => String(key));
    for (const key of ['refused', ...keys]) queue.add(key);
    const recover = (): void => {
      for (const listener of listeners) listener();
    };
    return { world, clock, queue, keys, listeners, recover };
  }

  it('takes what waited for the server first, in lots, and nothing that fails for another reason', async () => {
    const { world, clock, queue, keys, recover } = broken(10, 4);
    await clock.advance(100_000);
    world.works = true;
    world.tried.length = 0;
    queue.add('new');
    recover();
    await clock.advance(0);
    expect(world.tried).toEqual(['0', '1', '2', '3', 'new']);
    await clock.advance(400);
    expect([...world.tried].sort()).toEqual([...keys, 'new'].sort());
  });

  it('stops at the first that finds the server gone again, and goes on to back off', async () => {
    const { world, clock, recover } = broken(10, 2);
    await clock.advance(100_000);
    world.tried.length = 0;
    recover();
    await clock.advance(1_000);
    expect(world.tried).toEqual(['0', '1']);
  });

  it('lets go of the server when it stops', async () => {
    const { clock, queue, listeners, recover, world } = broken(10, 2);
    await clock.advance(100_000);
    recover();
    await queue.stop();
    world.tried.length = 0;
    await clock.advance(1_000);
    expect([world.tried, listeners.size]).toEqual([[], 0]);
  });
});
