import type { Client } from '@hawser/client';
import { type Clock, type Random, sleep } from '@hawser/clock';
import { type InformerHandle, createSharedInformers } from '@hawser/informer';
import type { Logger, Metrics } from '@hawser/telemetry';
import { GroupLease } from './group-lease.js';
import { LeaseError } from './lease-error.js';
import { LeaseLock, type LockRequest, type LockResult, leases, lossIn } from './lease-lock.js';
import type { Lease } from './lease-record.js';
import { LeaseTiming, type LeaseTimingOptions } from './lease-timing.js';
import { ShardHoldings } from './shard-holdings.js';
import { ShardLeases, memberLeaseName } from './shard-leases.js';
import { SHARDS } from './shard-plan.js';
import { ShardTelemetry } from './shard-telemetry.js';
import { GROUP_LABEL, ShardView } from './shard-view.js';
import type { ShardMember, ShardTerm, ShardsState } from './shards.js';
import { type Instant, Term, elapsedMs } from './term.js';

export interface ShardMemberOptions extends LeaseTimingOptions {
  /** A client without a write guard. Best a client of its own, so a renewal never waits behind other requests. */
  readonly client: Client;
  readonly namespace: string;
  /** Name of the Lease that a process holds when it works alone; the other Leases of the group are named after it. */
  readonly name: string;
  /** Unique per process, also across restarts. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const releaseTimeoutMs = 2000;

/** Minimum time between two looks at the Leases: merges many changes into one look. */
const lookEveryMs = 50;

/** @throws LeaseError `InvalidOptions` unless 2 × retryPeriod < renewDeadline < leaseDuration, jitter included. */
export function createShardMember(options: ShardMemberOptions): ShardMember {
  return new Member(options);
}

interface Seat {
  readonly term: Term;
  readonly lock: LeaseLock;
  readonly group: GroupLease;
}

/** One process of the group, for its lifetime. */
class Member implements ShardMember {
  readonly #options: ShardMemberOptions;
  readonly #timing: LeaseTiming;
  readonly #logger: Logger;
  readonly #telemetry: ShardTelemetry;
  readonly #view: ShardView;
  #joining: ShardsState = { kind: 'stopped' };
  #sinceMs = 0;
  #term: Term | undefined;
  #holdings: ShardHoldings | undefined;
  /** Whether the Leases may have changed since the last look. */
  #isChanged = false;
  /** Ends the wait for a change. */
  #wake: () => void = () => undefined;

  constructor(options: ShardMemberOptions) {
    this.#options = options;
    // We see renewals of others one period late.
    this.#timing = new LeaseTiming(options, 2);
    if (options.identity === '') throw new LeaseError('InvalidOptions', 'the identity must not be empty');
    const { namespace, name, identity, logger, metrics } = options;
    this.#logger = logger.child({ lease: `${namespace}/${name}`, identity });
    this.#telemetry = new ShardTelemetry(name, this.#logger, metrics);
    this.#view = new ShardView(options.clock, this.#timing.leaseDurationMs);
  }

  get state(): ShardsState {
    if (this.#term === undefined || this.#holdings === undefined || this.#term.ended) return this.#joining;
    return {
      kind: 'serving',
      since: this.#sinceMs,
      shards: this.#holdings.shards,
      members: new Set([...this.#view.sharing, this.#options.identity]).size,
      unowned: SHARDS - this.#view.holders.size,
    };
  }

  get staleness(): number {
    return this.#term === undefined ? 0 : Math.max(0, elapsedMs(this.#options.clock, this.#term.renewedAt));
  }

  async run(lead: (term: ShardTerm) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#joining.kind !== 'stopped') throw new LeaseError('AlreadyRunning', 'the member runs already');
    this.#joining = { kind: 'joining' };
    const { client, namespace, name, clock, random, metrics } = this.#options;
    const informers = createSharedInformers({ client, clock, random, logger: this.#logger, metrics });
    const cache = informers.acquire<Lease>({ resource: leases, namespace, labelSelector: `${GROUP_LABEL}=${name}` });
    const changed = (): void => {
      this.#isChanged = true;
      this.#wake();
    };
    cache.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
    const shards = this.#shardLeases(cache);
    try {
      await cache.synced(signal).catch(() => undefined);
      while (!signal.aborted) {
        const seat = await this.#join(signal);
        if (seat !== undefined) await this.#serve(seat, cache, shards, lead, signal);
        await this.#pause(this.#timing.nextTryMs(random), signal);
      }
    } finally {
      if (await this.#attempt(() => shards.leave()))
        await this.#attempt(() =>
          this.#groupLease().releaseIfLast(() => shards.isLast(), { timeoutMs: releaseTimeoutMs }),
        );
      await informers.close();
      this.#joining = { kind: 'stopped' };
    }
  }

  #shardLeases(cache: InformerHandle<Lease>): ShardLeases {
    const { client, namespace, name, identity, clock } = this.#options;
    return new ShardLeases({
      client,
      namespace,
      name,
      identity,
      clock,
      leaseDurationMs: this.#timing.leaseDurationMs,
      timeoutMs: this.#timing.timeoutMs,
      releaseTimeoutMs,
      view: this.#view,
      observe: (lease) => {
        cache.observe(lease);
        this.#view.refresh(cache.list());
      },
      relist: () => {
        cache.relist();
      },
    });
  }

  #groupLease(): GroupLease {
    const { client, namespace, name, clock } = this.#options;
    return new GroupLease({ client, namespace, name, clock, leaseDurationMs: this.#timing.leaseDurationMs });
  }

  /** Waits until its own Lease and the group's are held; undefined if the signal aborts before. */
  async #join(signal: AbortSignal): Promise<Seat | undefined> {
    const { client, namespace, name, identity, clock, random } = this.#options;
    const lock = new LeaseLock({
      client,
      namespace,
      name: memberLeaseName(name, identity),
      identity,
      clock,
      leaseDurationMs: this.#timing.leaseDurationMs,
      showsTerms: true,
      labels: { [GROUP_LABEL]: name },
    });
    const group = this.#groupLease();
    while (!signal.aborted) {
      const request = this.#request(signal);
      // In this order: the last member to leave the group looks for it.
      const own = await this.#try(() => lock.acquire(request));
      const common = own?.kind === 'held' ? await this.#try(() => group.join(request)) : own;
      if (own?.kind === 'held' && common?.kind === 'held') {
        // Only now do others assign shards to it: see ShardView.sharing.
        const proof = await this.#try(() => lock.renew(request));
        const since = earlier(own.writtenAt, common.writtenAt);
        if (proof?.kind === 'held') return { lock, group, term: new Term(clock, this.#timing.renewDeadlineMs, since) };
      }
      if (common?.kind === 'taken') this.#waitFor(common.by);
      await this.#pause(this.#timing.nextTryMs(random), signal);
    }
    return undefined;
  }

  #waitFor(leader: string): void {
    if (this.#joining.kind === 'joining' && this.#joining.waitsFor === leader) return;
    this.#joining = { kind: 'joining', waitsFor: leader };
    this.#logger.info('Another process leads.', { leader });
  }

  /** Serves a term until its work has ended and its shards are released or lost. */
  async #serve(
    seat: Seat,
    cache: InformerHandle<Lease>,
    shards: ShardLeases,
    lead: (term: ShardTerm) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, identity } = this.#options;
    const { term } = seat;
    const stop = (): void => {
      term.end(new LeaseError('Stopped', 'the member was stopped'));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const holdings = new ShardHoldings({
      term,
      identity,
      view: this.#view,
      leases: shards,
      logger: this.#logger,
      moved: (way, count) => {
        this.#telemetry.moved(way, count);
      },
    });
    this.#term = term;
    this.#holdings = holdings;
    this.#sinceMs = clock.now();
    term.signal.addEventListener(
      'abort',
      () => {
        this.#joining = { kind: 'joining' };
        this.#telemetry.ended(term.reason, elapsedMs(clock, term.renewedAt));
      },
      { once: true },
    );
    if (!term.ended) {
      this.#telemetry.began();
      await Promise.all([this.#work(holdings, lead), this.#keep(seat), this.#follow(cache, holdings)]);
    }
    signal.removeEventListener('abort', stop);
    this.#view.refresh(cache.list());
    await this.#releaseAll(shards);
    this.#term = undefined;
    this.#holdings = undefined;
  }

  async #work(holdings: ShardHoldings, lead: (term: ShardTerm) => Promise<void>): Promise<void> {
    const term = this.#term;
    try {
      await lead(holdings);
    } catch (error) {
      if (term?.ended === false) this.#logger.error('The work of the shards failed.', { error });
    }
    term?.end(new LeaseError('WorkEnded', 'the work of the shards has ended'));
  }

  /** Renews until the term is over. */
  async #keep({ term, lock, group }: Seat): Promise<void> {
    const { random } = this.#options;
    for (;;) {
      await this.#pause(this.#timing.nextTryMs(random), term.signal);
      if (term.ended) return;
      const request = this.#request(term.signal);
      const [own, common] = await Promise.all([
        this.#try(() => lock.renew(request)),
        this.#try(() => group.prove(request)),
      ]);
      if (own?.kind === 'held' && common?.kind === 'held') term.extend(earlier(own.writtenAt, common.writtenAt));
      for (const result of [own, common]) {
        const loss = result && lossIn(result);
        if (loss !== undefined) term.end(loss);
      }
    }
  }

  /** Looks at the Leases at every change, when a member may have died, and now and then. */
  async #follow(cache: InformerHandle<Lease>, holdings: ShardHoldings): Promise<void> {
    const { signal } = holdings;
    const wake = (): void => {
      this.#wake();
    };
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      this.#isChanged = false;
      if (cache.hasSynced) {
        this.#view.refresh(cache.list());
        if (this.#view.silentMs(this.#options.identity) > this.#behindMs) await holdings.catchUp();
        await holdings.evaluate();
        const { state } = this;
        if (state.kind === 'serving') this.#telemetry.shows(state.shards.length, state.members, state.unowned);
      }
      await this.#pause(lookEveryMs, signal);
      await this.#waitForChange(Math.min(this.#timing.retryPeriodMs, this.#view.nextDeathMs), signal);
    }
  }

  /** A watch that missed two of our own renewals is no source about the others. */
  get #behindMs(): number {
    return 2 * this.#timing.nextTryMs(() => 1);
  }

  async #waitForChange(atMostMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isChanged || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimeout(resolve, atMostMs);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  /** Logs a failure once. */
  async #releaseAll(shards: ShardLeases): Promise<void> {
    await this.#attempt(() => Promise.all(Array.from({ length: SHARDS }, (_, shard) => shards.release(shard))));
  }

  async #try(attempt: () => Promise<LockResult>): Promise<LockResult | undefined> {
    try {
      const result = await attempt();
      this.#telemetry.attempted(result);
      return result;
    } catch (error) {
      this.#telemetry.failed(error);
      return undefined;
    }
  }

  /** Resolves to whether the attempt succeeded; logs a failure. */
  async #attempt(attempt: () => Promise<unknown>): Promise<boolean> {
    try {
      await attempt();
      return true;
    } catch (error) {
      this.#logger.warn('A Lease could not be released; others wait until it expires.', { error });
      return false;
    }
  }

  #request(signal: AbortSignal): LockRequest {
    return { signal, timeoutMs: this.#timing.timeoutMs };
  }

  /** Pauses; ends early when the signal aborts. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#options.clock, ms, signal).catch(() => undefined);
  }
}

/** The earlier of two instants, which proves less. */
function earlier(a: Instant, b: Instant): Instant {
  return { monotonic: Math.min(a.monotonic, b.monotonic), epoch: Math.min(a.epoch, b.epoch) };
}
