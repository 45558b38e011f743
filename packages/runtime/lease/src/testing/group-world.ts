import {
  type ApiRequest,
  type ApiServer,
  ConnectionResetError,
  DirectDispatcher,
  type Fault,
  type ResponseSink,
  administrator,
  createApiServer,
} from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import type { Lease } from '../lease-record.js';
import { type LeaderElectorOptions, createLeaderElector } from '../leader-elector.js';
import { leases } from '../lease-lock.js';
import { createShardMember } from '../shard-member.js';
import { SHARDS, shardOf } from '../shard-plan.js';
import type { ShardMember, ShardTerm } from '../shards.js';
import { ProcessClock } from './process-clock.js';

/** One unit of each shard. */
export const units: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => {
  for (let n = 0; ; n++) if (shardOf(`unit-${n}`) === shard) return `unit-${n}`;
});

const FORBIDDEN = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'leases.coordination.k8s.io is forbidden',
    reason: 'Forbidden',
    code: 403,
  }),
};

const lockKey = { namespace: 'system', name: 'lock' };

/** Processes around one API server, on one clock. */
export class GroupWorld {
  readonly clock = new FakeClock();
  readonly server: ApiServer;
  readonly members: GroupProcess[] = [];
  readonly client: Client;
  /** Units with two writers at the same time, as observed so far. */
  readonly doubles: string[] = [];

  constructor() {
    this.server = createApiServer({
      clock: this.clock,
      random: numbers(),
      faults: (request) => this.members.find(({ user }) => user === request.user?.name)?.faultOf(request),
    });
    this.client = this.clientOf('somebody', this.clock);
  }

  clientOf(user: string, clock: FakeClock | ProcessClock): Client {
    return createClient({
      name: 'server',
      connection: { server: 'https://server.invalid', credentials: { kind: 'none' } },
      clock,
      random: () => 0.5,
      dispatcher: () => new DirectDispatcher({ server: () => this.server, user: { ...administrator, name: user } }),
    });
  }

  async begin(): Promise<void> {
    const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
    const made = this.client.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: lockKey.namespace },
    });
    await this.clock.advance(100);
    await made;
  }

  member(name: string): GroupProcess {
    const process = new GroupProcess(name, this);
    this.members.push(process);
    return process;
  }

  /** Advances time, and checks all the while that no unit has two writers. */
  async advance(ms: number, stepMs = 100): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.clock.advance(Math.min(stepMs, ms - passed));
      for (const unit of units) {
        const writers = this.members.filter((member) => member.writes(unit)).map(({ name }) => name);
        if (writers.length > 1) this.doubles.push(`${unit}: ${writers.join(' and ')} at ${this.clock.now()}`);
      }
    }
  }

  /** Units without a writer. */
  get idle(): readonly string[] {
    return units.filter((unit) => !this.members.some((member) => member.writes(unit)));
  }

  async lease(name: string): Promise<Lease | undefined> {
    const reading = this.client.get<Lease>(leases, { ...lockKey, name }).catch(() => undefined);
    await this.clock.advance(0);
    return reading;
  }

  get leaseNames(): readonly string[] {
    return this.server.objects
      .list({ group: 'coordination.k8s.io', resource: 'leases' })
      .map(({ metadata }) => String((metadata as { readonly name?: string } | undefined)?.name))
      .sort();
  }

  async end(): Promise<void> {
    for (const member of this.members) member.mend();
    const stopped = Promise.all(this.members.map((member) => member.stop()));
    await this.clock.advance(30_000);
    await stopped;
    await this.client.close();
    this.server.stop();
  }
}

/** One process: after it lets go of a unit, its work on it continues for `drainMs`. */
export class GroupProcess {
  readonly clock: ProcessClock;
  readonly member: ShardMember;
  readonly user: string;
  /** Time until work in flight ends. */
  drainMs = 0;
  /** No message reaches it, or leaves it. */
  isCut = false;
  /** Its requests get no answer. */
  isMute = false;
  /** Its watches hear nothing. */
  isDeaf = false;
  /** Requests that its ServiceAccount may not send. */
  forbids: (request: ApiRequest) => boolean = () => false;
  terms = 0;
  readonly #stopping = new AbortController();
  readonly #served = new Set<string>();
  readonly #client: Client;
  readonly #breaks: (() => void)[] = [];
  #term: ShardTerm | undefined;
  #running: Promise<void> | undefined;

  constructor(
    readonly name: string,
    world: GroupWorld,
  ) {
    this.user = `process-${name}`;
    this.clock = new ProcessClock(world.clock);
    this.#client = world.clientOf(this.user, this.clock);
    this.member = createShardMember({ ...this.#options, identity: name });
  }

  /** The same process, working alone. */
  alone(lead: () => void): { stop(): Promise<void> } {
    const stopping = new AbortController();
    const elector = createLeaderElector({ ...this.#options, identity: this.name });
    const running = elector.run(async ({ signal }) => {
      lead();
      await aborted(signal);
    }, stopping.signal);
    return {
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
  }

  get #options(): LeaderElectorOptions {
    return {
      client: this.#client,
      ...lockKey,
      identity: '',
      clock: this.clock,
      random: () => 0.5,
      logger: silentLogger,
      metrics: noMetrics,
    };
  }

  start(): this {
    this.#running = this.member.run(async (term) => {
      this.#term = term;
      this.terms++;
      term.follow({ settle: () => this.#settle(term) });
      await aborted(term.signal);
      this.#served.clear();
    }, this.#stopping.signal);
    return this;
  }

  /** Whether it would write for the unit now. */
  writes(unit: string): boolean {
    return this.#served.has(unit) && this.#term?.signal.aborted === false;
  }

  /** How many units it serves. */
  get count(): number {
    return units.filter((unit) => this.writes(unit)).length;
  }

  mend(): void {
    this.isCut = false;
    this.isDeaf = false;
    this.isMute = false;
    this.forbids = () => false;
    if (this.clock.frozen) this.clock.thaw();
    for (const notice of this.#breaks.splice(0)) notice();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#client.close();
  }

  faultOf(request: ApiRequest): Fault {
    const { path } = request;
    const isWatch = path.includes('watch=');
    const passes = (): boolean => !this.isCut && !this.isMute && !(isWatch && this.isDeaf);
    const wrap = (sink: ResponseSink): ResponseSink => {
      // A lost message breaks the connection, as soon as the process can notice.
      let isBroken = false;
      const through = (deliver: () => void): void => {
        this.clock.run(() => {
          if (isBroken) return;
          if (passes()) {
            deliver();
            return;
          }
          isBroken = true;
          this.#breaks.push(() => {
            sink.fail(new ConnectionResetError());
          });
        });
      };
      return {
        head: (status, headers) => {
          through(() => {
            sink.head(status, headers);
          });
        },
        data: (chunk) => {
          through(() => {
            sink.data(chunk);
          });
        },
        end: () => {
          through(() => {
            sink.end();
          });
        },
        fail: (error) => {
          this.clock.run(() => {
            sink.fail(error);
          });
        },
      };
    };
    if (!this.isCut && this.forbids(request)) return { delayMs: 2, wrap, instead: FORBIDDEN };
    return { delayMs: 2, wrap, ...(this.isCut ? { instead: 'reset' } : {}) };
  }

  async #settle(term: ShardTerm): Promise<void> {
    const going = [...this.#served].filter((unit) => !term.owns(unit));
    if (this.#term !== term) return;
    for (const unit of units) if (term.owns(unit)) this.#served.add(unit);
    if (going.length === 0) return;
    await new Promise<void>((resolve) => {
      this.clock.setTimeout(resolve, this.drainMs);
    });
    for (const unit of going) if (!term.owns(unit)) this.#served.delete(unit);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
