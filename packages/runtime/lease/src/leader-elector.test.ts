import { describe, expect, it } from '@jest/globals';
import {
  ApiError,
  type ApiErrorCode,
  type Client,
  type KubeObject,
  type ObjectKey,
  type RequestOptions,
  type Resource,
} from '@hawser/client';
import { type Clock, FakeClock } from '@hawser/clock';
import { type Logger, noMetrics, silentLogger } from '@hawser/telemetry';
import fc from 'fast-check';
import type { LeaderElector, Leadership } from './lease.js';
import { type LeaderElectorOptions, createLeaderElector } from './leader-elector.js';
import type { Lease } from './lease-record.js';
import { ProcessClock } from './testing/process-clock.js';

type Fault = 'lost-request' | 'lost-answer' | 'unavailable' | 'conflict';

/** One Lease on a server, as each process reaches it: with a delay, or not at all. */
class LeaseServer {
  lease: Lease | undefined;
  /** Whether the namespace of the lease exists. */
  hasNamespace = true;
  #version = 0;
  readonly log: string[] = [];

  constructor(readonly clock: FakeClock) {}

  /** What anybody else writes. */
  put(spec: Lease['spec'], metadata: object = {}): void {
    this.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...this.lease?.metadata,
        name: 'lock',
        namespace: 'system',
        ...metadata,
        resourceVersion: String(++this.#version),
      },
      spec,
    };
  }

  handle(verb: string, object?: Lease): Lease {
    switch (verb) {
      case 'get':
        if (this.lease === undefined) throw failure('NotFound', verb);
        return this.lease;
      case 'create':
        if (!this.hasNamespace) throw failure('NotFound', verb);
        if (this.lease !== undefined) throw failure('AlreadyExists', verb);
        break;
      case 'update':
        if (this.lease === undefined) throw failure('NotFound', verb);
        if (this.lease.metadata.resourceVersion !== object?.metadata.resourceVersion) throw failure('Conflict', verb);
    }
    this.put(object?.spec, object?.metadata);
    return this.lease!;
  }
}

function failure(code: ApiErrorCode, verb: string): ApiError {
  const statuses: Partial<Record<ApiErrorCode, number>> = {
    NotFound: 404,
    Conflict: 409,
    AlreadyExists: 409,
    Unavailable: 503,
    Forbidden: 403,
  };
  return new ApiError(code, code, { cluster: 'test', verb, resource: 'leases' }, { httpStatus: statuses[code] });
}

interface Network {
  /** Milliseconds to the server, and as many back. */
  delayMs: number;
  fault: Fault | undefined;
}

function clientOf(server: LeaseServer, clock: ProcessClock, network: Network): Client {
  const send = (verb: string, object: Lease | undefined, options: RequestOptions = {}): Promise<Lease> => {
    if (options.signal?.aborted === true) return Promise.reject(failure('Aborted', verb));
    server.log.push(verb);
    const { delayMs, fault } = network;
    return new Promise((resolve, reject) => {
      const timeout = clock.setTimeout(() => {
        reject(failure('Timeout', verb));
      }, options.timeoutMs ?? 30_000);
      options.signal?.addEventListener(
        'abort',
        () => {
          timeout.cancel();
          reject(failure('Aborted', verb));
        },
        { once: true },
      );
      const answer = (settle: () => void): void => {
        server.clock.setTimeout(() => {
          clock.run(() => {
            timeout.cancel();
            settle();
          });
        }, delayMs);
      };
      if (fault === 'lost-request') return;
      server.clock.setTimeout(() => {
        if (fault === 'unavailable') {
          answer(() => {
            reject(failure('Unavailable', verb));
          });
          return;
        }
        // Somebody touches the object just before.
        if (fault === 'conflict' && server.lease !== undefined && verb === 'update') server.put(server.lease.spec);
        try {
          const result = server.handle(verb, object);
          if (fault !== 'lost-answer')
            answer(() => {
              resolve(result);
            });
        } catch (error) {
          if (fault !== 'lost-answer')
            answer(() => {
              reject(error instanceof ApiError ? error : new Error('unexpected', { cause: error }));
            });
        }
      }, delayMs);
    });
  };
  const client: Partial<Client> = {
    get: ((_resource: Resource, _key: ObjectKey, options?: RequestOptions) =>
      send('get', undefined, options)) as Client['get'],
    create: ((_resource: Resource, object: KubeObject, options?: RequestOptions) =>
      send('create', object, options)) as Client['create'],
    update: ((_resource: Resource, object: KubeObject, options?: RequestOptions) =>
      send('update', object, options)) as Client['update'],
  };
  return client as Client;
}

class Candidate {
  readonly clock: ProcessClock;
  readonly network: Network = { delayMs: 1, fault: undefined };
  readonly elector: LeaderElector;
  readonly stopper = new AbortController();
  readonly terms: Leadership[] = [];
  readonly warnings: string[] = [];
  /** Ends the work of the current term by hand; it ends with the term's signal anyhow. */
  endWork: (error?: Error) => void = () => undefined;
  /** Work goes on after the signal until this resolves. */
  linger: Promise<void> = Promise.resolve();
  running: Promise<void> | undefined;

  constructor(
    readonly name: string,
    server: LeaseServer,
    options: Partial<LeaderElectorOptions> = {},
  ) {
    this.clock = new ProcessClock(server.clock);
    const logger: Logger = {
      ...silentLogger,
      warn: (message) => {
        this.warnings.push(message);
      },
      child: () => logger,
    };
    this.elector = createLeaderElector({
      client: clientOf(server, this.clock, this.network),
      namespace: 'system',
      name: 'lock',
      identity: name,
      clock: this.clock,
      random: () => 0.5,
      logger,
      metrics: noMetrics,
      ...options,
    });
  }

  start(): this {
    this.running = this.elector.run(async (leadership) => {
      this.terms.push(leadership);
      await new Promise<void>((resolve, reject) => {
        this.endWork = (error) => {
          if (error === undefined) resolve();
          else reject(error);
        };
        leadership.signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
      });
      await this.linger;
    }, this.stopper.signal);
    return this;
  }

  /** Whether it would write now. */
  get leads(): boolean {
    const term = this.terms.at(-1);
    return term !== undefined && !term.signal.aborted;
  }

  async stop(): Promise<void> {
    this.stopper.abort();
    await this.running;
  }
}

function setUp() {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const server = new LeaseServer(clock);
  const stop = async (...candidates: Candidate[]): Promise<void> => {
    const stopped = Promise.all(candidates.map((candidate) => candidate.stop()));
    await clock.advance(60_000);
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  };
  return { clock, server, stop };
}

const held = (holderIdentity: string, clock: Clock, seconds = 15): Lease['spec'] => {
  const time = new Date(clock.now()).toISOString().replace('Z', '456Z');
  return { holderIdentity, leaseDurationSeconds: seconds, acquireTime: time, renewTime: time, leaseTransitions: 7 };
};

describe('an elector', () => {
  it('creates the lease, leads, renews, and releases it on the way out', async () => {
    const { clock, server } = setUp();
    const a = new Candidate('a', server);
    expect(a.elector.state).toEqual({ kind: 'stopped' });
    a.start();
    await clock.advance(100);
    expect(a.leads).toBe(true);
    expect(a.elector.state).toEqual({ kind: 'leading', since: Date.UTC(2026, 0, 1) + 4 });
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.002000Z',
      renewTime: '2026-01-01T00:00:00.002000Z',
      leaseTransitions: 0,
    });
    await clock.advance(60_000);
    expect(a.terms).toHaveLength(1);
    expect(a.leads).toBe(true);
    expect(a.elector.staleness).toBeLessThan(2500);
    expect(server.lease?.spec?.acquireTime).toBe('2026-01-01T00:00:00.002000Z');
    expect(server.lease?.spec?.renewTime).not.toBe('2026-01-01T00:00:00.002000Z');
    // A renewal is one request.
    expect(server.log.filter((verb) => verb === 'get')).toHaveLength(1);
    const stopped = a.stop();
    expect(a.leads).toBe(false);
    await clock.advance(10);
    await stopped;
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(a.elector.state).toEqual({ kind: 'stopped' });
    expect(a.elector.staleness).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('follows a holder of another make, and times it by its own clock from when it saw the last change', async () => {
    const { clock, server, stop } = setUp();
    // The holder's clock is years ahead; that must not matter.
    server.put({ ...held('host_1f9d', clock), renewTime: '2036-01-01T00:00:00.000000Z' }, { labels: { kept: 'yes' } });
    await clock.advance(100_000);
    const a = new Candidate('a', server).start();
    await clock.advance(10_000);
    expect(a.elector.state).toEqual({ kind: 'following', leader: 'host_1f9d' });
    server.put({ ...held('host_1f9d', clock), renewTime: '2016-01-01T00:00:00.000000Z' }, { labels: { kept: 'yes' } });
    await clock.advance(14_900);
    expect(a.leads).toBe(false);
    await clock.advance(5000);
    expect(a.leads).toBe(true);
    expect(server.lease).toMatchObject({
      metadata: { labels: { kept: 'yes' } },
      spec: { holderIdentity: 'a', leaseTransitions: 8 },
    });
    await stop(a);
  });

  it('honours the duration that the holder wrote, and does not take changed metadata for a renewal', async () => {
    const { clock, server, stop } = setUp();
    const spec = held('other', clock, 60);
    server.put(spec);
    const a = new Candidate('a', server).start();
    for (let i = 0; i < 5; i++) {
      await clock.advance(10_000);
      server.put(spec, { annotations: { touched: String(i) } });
    }
    await clock.advance(9000);
    expect(a.leads).toBe(false);
    await clock.advance(5000);
    expect(a.leads).toBe(true);
    await stop(a);
  });

  it('takes a released lease at its next try, and its own at once', async () => {
    const { clock, server, stop } = setUp();
    server.put({ ...held('', clock), leaseDurationSeconds: 1 });
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    expect(a.leads).toBe(true);
    expect(server.lease?.spec?.leaseTransitions).toBe(8);
    await stop(a);

    server.put(held('b', clock));
    const b = new Candidate('b', server).start();
    await clock.advance(100);
    expect(b.leads).toBe(true);
    expect(server.lease?.spec?.leaseTransitions).toBe(7);
    await stop(b);
  });

  it('hands over when the leader is stopped, and only after its work has ended', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    const b = new Candidate('b', server).start();
    await clock.advance(5000);
    const lingering = Promise.withResolvers<undefined>();
    a.linger = lingering.promise;
    const stopped = a.stop();
    await clock.advance(5000);
    expect(a.leads).toBe(false);
    expect(b.leads).toBe(false);
    lingering.resolve(undefined);
    await clock.advance(10);
    await stopped;
    await clock.advance(2500);
    expect(b.leads).toBe(true);
    await stop(b);
  });

  it('is followed by another when it dies, after the duration of the lease', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    const b = new Candidate('b', server).start();
    await clock.advance(5000);
    a.clock.freeze();
    await clock.advance(12_000);
    expect(b.leads).toBe(false);
    await clock.advance(6000);
    expect(b.leads).toBe(true);
    // When it wakes up it knows at once.
    expect(a.terms[0]!.signal.aborted).toBe(true);
    a.clock.thaw();
    await clock.advance(3000);
    expect(a.elector.state).toEqual({ kind: 'following', leader: 'b' });
    expect(server.lease?.spec?.holderIdentity).toBe('b');
    await stop(a, b);
  });

  it('does not take the lease that a backup gives back to it before the one who led since has noticed', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    const b = new Candidate('b', server).start();
    await clock.advance(5000);
    const backup = server.lease?.spec;
    a.clock.freeze();
    await clock.advance(18_000);
    a.clock.thaw();
    await clock.advance(5000);
    expect([a.leads, b.leads]).toEqual([false, true]);
    server.put(backup);
    for (let i = 0; i < 40; i++) {
      await clock.advance(100);
      expect(a.leads).toBe(false);
    }
    expect(b.leads).toBe(false);
    await clock.advance(18_000);
    expect([a.leads, b.leads].filter(Boolean)).toHaveLength(1);
    await stop(a, b);
  });

  it('stops leading at the renew deadline when the server does not answer, and leads again when it does', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    for (const fault of ['lost-request', 'unavailable'] as const) {
      const terms = a.terms.length;
      const start = clock.now() - a.elector.staleness;
      a.network.fault = fault;
      await clock.advance(10_000 - a.elector.staleness - 1);
      expect(a.leads).toBe(true);
      await clock.advance(1);
      expect(a.leads).toBe(false);
      expect(clock.now() - start).toBe(10_000);
      expect(a.terms.at(-1)!.signal.reason).toMatchObject({ code: 'RenewDeadlinePassed' });
      await clock.advance(20_000);
      a.network.fault = undefined;
      await clock.advance(10_000);
      expect(a.terms).toHaveLength(terms + 1);
      expect(a.leads).toBe(true);
    }
    await stop(a);
  });

  it('counts from when the renewal was sent, not from when it was answered', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server);
    a.network.delayMs = 1000;
    a.start();
    await clock.advance(20_000);
    a.network.fault = 'lost-request';
    let endedAt = 0;
    a.terms[0]!.signal.addEventListener('abort', () => {
      endedAt = clock.now();
    });
    await clock.advance(20_000);
    // What was on its way when the faults began still arrived.
    expect(endedAt - Date.parse(server.lease!.spec!.renewTime!)).toBe(10_000);
    await stop(a);
  });

  it('outlives single faults: a lost answer, a conflict, an overloaded server', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    for (const fault of ['lost-answer', 'conflict', 'unavailable', 'lost-request'] as const) {
      a.network.fault = fault;
      await clock.advance(2300);
      a.network.fault = undefined;
      await clock.advance(10_000);
      expect(a.leads).toBe(true);
    }
    expect(a.terms).toHaveLength(1);
    await stop(a);
  });

  it('does not count a renewal whose answer came after the deadline', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server, { renewDeadlineMs: 10_000 }).start();
    await clock.advance(100);
    a.clock.freeze();
    // The renewal that is due meanwhile is neither sent nor answered.
    await clock.advance(10_000);
    a.clock.thaw();
    expect(a.leads).toBe(false);
    await stop(a);
  });

  it.each([
    [
      'another holder',
      (server: LeaseServer) => {
        server.put(held('thief', server.clock));
      },
    ],
    [
      'a release by hand',
      (server: LeaseServer) => {
        server.put({ ...server.lease!.spec, holderIdentity: '' });
      },
    ],
    [
      'a deleted lease',
      (server: LeaseServer) => {
        server.lease = undefined;
      },
    ],
  ])('stops leading when it meets %s', async (_what, change) => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await clock.advance(100);
    change(server);
    await clock.advance(2500);
    expect(a.terms[0]!.signal.reason).toMatchObject({ code: 'LeaseLost' });
    await clock.advance(20_000);
    expect(a.leads).toBe(true);
    expect(a.terms).toHaveLength(2);
    await stop(a);
  });

  it('releases and campaigns again when the work ends or fails by itself', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    for (const [index, error] of [undefined, new Error('broken')].entries()) {
      await clock.advance(5000);
      expect(a.terms).toHaveLength(index + 1);
      a.endWork(error);
      await clock.advance(10);
      expect(a.terms[index]!.signal.reason).toMatchObject({ code: 'WorkEnded' });
      expect(server.lease?.spec?.holderIdentity).toBe('');
    }
    await stop(a);
  });

  it('lets the lease go while it is stalled', async () => {
    const { clock, server, stop } = setUp();
    let stalled = false;
    const a = new Candidate('a', server, { isStalled: () => stalled }).start();
    await clock.advance(100);
    stalled = true;
    await clock.advance(10_000);
    expect(a.leads).toBe(false);
    await clock.advance(30_000);
    expect(a.terms).toHaveLength(1);
    stalled = false;
    await clock.advance(5000);
    expect(a.leads).toBe(true);
    await stop(a);
  });

  it('releases a lease that it acquired while it was being stopped', async () => {
    const { clock, server } = setUp();
    const a = new Candidate('a', server);
    a.network.delayMs = 100;
    a.start();
    await clock.advance(300);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    const stopped = a.stop();
    await clock.advance(1000);
    await stopped;
    expect(a.terms).toHaveLength(0);
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('warns of a lasting failure once', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server);
    a.network.fault = 'unavailable';
    a.start();
    await clock.advance(60_000);
    expect(a.warnings).toHaveLength(1);
    a.network.fault = undefined;
    await stop(a);
  });

  it('warns once where the namespace of the lease does not exist, and leads when it does', async () => {
    const { clock, server, stop } = setUp();
    server.hasNamespace = false;
    const a = new Candidate('a', server);
    a.start();
    await clock.advance(60_000);
    expect(a.warnings).toHaveLength(1);
    server.hasNamespace = true;
    await clock.advance(10_000);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    await stop(a);
  });

  it('runs once at a time, and again afterwards', async () => {
    const { clock, server, stop } = setUp();
    const a = new Candidate('a', server).start();
    await expect(a.elector.run(() => Promise.resolve(), new AbortController().signal)).rejects.toMatchObject({
      code: 'AlreadyRunning',
    });
    await clock.advance(100);
    await stop(a);
    await a.elector.run(() => Promise.reject(new Error('must not lead')), AbortSignal.abort());
    expect(a.elector.state).toEqual({ kind: 'stopped' });
  });

  it.each([
    { retryPeriodMs: 9000, renewDeadlineMs: 10_000 },
    { renewDeadlineMs: 15_000 },
    { retryPeriodMs: 0 },
    { leaseDurationMs: Number.NaN },
    { identity: '' },
  ])('refuses what cannot work: %j', (options) => {
    expect(() => new Candidate('a', setUp().server, options)).toThrow(
      expect.objectContaining({ code: 'InvalidOptions' }),
    );
  });
});

describe('whatever happens, nobody writes while somebody else holds the lease', () => {
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 8000 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constant('fault' as const),
        who: fc.nat({ max: 2 }),
        fault: fc.constantFrom<Fault | undefined>('lost-request', 'lost-answer', 'unavailable', 'conflict', undefined),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ what: fc.constant('delay' as const), who: fc.nat({ max: 2 }), ms: fc.nat({ max: 3000 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ what: fc.constantFrom('freeze' as const, 'thaw' as const), who: fc.nat({ max: 2 }) }),
    },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('stop' as const), who: fc.nat({ max: 2 }) }) },
  );

  it('with three candidates, lost messages, slow networks, frozen processes and stops', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
        const { clock, server } = setUp();
        const candidates = ['a', 'b', 'c'].map(
          (name, index) => new Candidate(name, server, { random: () => index / 3 }),
        );
        for (const candidate of candidates) candidate.start();
        const check = (): void => {
          const leaders = candidates.filter((candidate) => candidate.leads);
          expect(leaders.length).toBeLessThanOrEqual(1);
          if (leaders[0] !== undefined) expect(server.lease?.spec?.holderIdentity).toBe(leaders[0].name);
        };
        for (const step of actions) {
          const candidate = 'who' in step ? candidates[step.who]! : candidates[0]!;
          switch (step.what) {
            case 'wait':
              for (let passed = 0; passed < step.ms; passed += 400) {
                await clock.advance(400);
                check();
              }
              break;
            case 'fault':
              candidate.network.fault = step.fault;
              break;
            case 'delay':
              candidate.network.delayMs = step.ms;
              break;
            case 'freeze':
              candidate.clock.freeze();
              break;
            case 'thaw':
              candidate.clock.thaw();
              break;
            case 'stop':
              candidate.stopper.abort();
          }
          check();
        }
        // When all is well again somebody leads, if anybody is left.
        for (const candidate of candidates) {
          candidate.network.fault = undefined;
          candidate.network.delayMs = 1;
          candidate.clock.thaw();
        }
        await clock.advance(90_000);
        check();
        const left = candidates.filter((candidate) => !candidate.stopper.signal.aborted);
        expect(candidates.filter((candidate) => candidate.leads)).toHaveLength(left.length > 0 ? 1 : 0);
        const stopped = Promise.all(candidates.map((candidate) => candidate.stop()));
        await clock.advance(30_000);
        await stopped;
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});
