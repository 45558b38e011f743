import type { Client } from '@hawser/client';
import { type Clock, type Random, sleep } from '@hawser/clock';
import type { Logger, Metrics } from '@hawser/telemetry';
import type { LeaderElector, Leadership, LeaseState } from './lease.js';
import { LeaseError } from './lease-error.js';
import { LeaseLock, type LockResult, lossIn } from './lease-lock.js';
import { LeaseTelemetry } from './lease-telemetry.js';
import { LeaseTiming, type LeaseTimingOptions } from './lease-timing.js';
import { Term, elapsedMs } from './term.js';

export interface LeaderElectorOptions extends LeaseTimingOptions {
  /**
   * A client without a write guard: it must be able to renew. Best a client of its own, so a renewal never waits behind
   * other requests.
   */
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process, for example the pod's uid: two processes of one identity both lead. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called before each renewal. While true, the lease is not renewed: a process that cannot work loses it. */
  readonly isStalled?: () => boolean;
}

const releaseTimeoutMs = 5000;

/** @throws LeaseError `InvalidOptions` unless retryPeriod < renewDeadline < leaseDuration, jitter included. */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  return new Elector(options);
}

class Elector implements LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #timing: LeaseTiming;
  readonly #logger: Logger;
  readonly #telemetry: LeaseTelemetry;
  #state: LeaseState = { kind: 'stopped' };
  #term: Term | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#timing = new LeaseTiming(options, 1);
    if (options.identity === '') throw new LeaseError('InvalidOptions', 'the identity must not be empty');
    const { namespace, name, identity, logger, metrics } = options;
    this.#logger = logger.child({ lease: `${namespace}/${name}`, identity });
    this.#telemetry = new LeaseTelemetry(name, this.#logger, metrics);
  }

  get state(): LeaseState {
    // After a stall the state must not say that we lead.
    if (this.#term?.ended === true && this.#state.kind === 'leading') this.#state = { kind: 'following' };
    return this.#state;
  }

  get staleness(): number {
    return this.#term === undefined ? 0 : Math.max(0, elapsedMs(this.#options.clock, this.#term.renewedAt));
  }

  async run(lead: (leadership: Leadership) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#state.kind !== 'stopped') throw new LeaseError('AlreadyRunning', 'the elector runs already');
    this.#state = { kind: 'following' };
    try {
      while (!signal.aborted) {
        const lock = this.#lock();
        const term = await this.#campaign(lock, signal);
        if (term === undefined) {
          if (lock.uncertain) await this.#release(lock);
          break;
        }
        await this.#serve(lock, term, lead, signal);
        await this.#pause(signal);
      }
    } finally {
      this.#state = { kind: 'stopped' };
    }
  }

  #lock(): LeaseLock {
    const { client, namespace, name, identity, clock } = this.#options;
    return new LeaseLock({ client, namespace, name, identity, clock, leaseDurationMs: this.#timing.leaseDurationMs });
  }

  /** Waits until the lease is ours; undefined if the signal aborts before. */
  async #campaign(lock: LeaseLock, signal: AbortSignal): Promise<Term | undefined> {
    const { clock, isStalled } = this.#options;
    for (;;) {
      if (signal.aborted) return undefined;
      if (isStalled?.() !== true) {
        const result = await this.#attempt('acquire', () =>
          lock.acquire({ signal, timeoutMs: this.#timing.timeoutMs }),
        );
        // The signal may have aborted, or the answer may be too late for a term: the term is served, and released at
        // once.
        if (result?.kind === 'held') return new Term(clock, this.#timing.renewDeadlineMs, result.writtenAt);
        if (result?.kind === 'taken') this.#follow(result.by);
      }
      await this.#pause(signal);
    }
  }

  #follow(leader: string): void {
    if (this.#state.kind === 'following' && this.#state.leader === leader) return;
    this.#state = { kind: 'following', leader };
    this.#logger.info('Another process leads.', { leader });
  }

  /** Serves a term until its work has ended and the lease is released or lost. */
  async #serve(
    lock: LeaseLock,
    term: Term,
    lead: (leadership: Leadership) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#options;
    const stop = (): void => {
      term.end(new LeaseError('Stopped', 'the elector was stopped'));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#term = term;
    term.signal.addEventListener(
      'abort',
      () => {
        this.#stepDown(term);
      },
      { once: true },
    );
    if (!term.ended) {
      this.#state = { kind: 'leading', since: clock.now() };
      this.#telemetry.began('This process leads.');
      await Promise.all([this.#work(term, lead), this.#keep(lock, term)]);
    }
    signal.removeEventListener('abort', stop);
    if (term.reason?.code !== 'LeaseLost') await this.#release(lock);
    this.#term = undefined;
    this.#state = { kind: 'following' };
  }

  #stepDown(term: Term): void {
    this.#state = { kind: 'following' };
    const renewedMsAgo = elapsedMs(this.#options.clock, term.renewedAt);
    this.#telemetry.ended('This process leads no longer.', term.reason, renewedMsAgo);
  }

  async #work(term: Term, lead: (leadership: Leadership) => Promise<void>): Promise<void> {
    try {
      await lead({
        signal: term.signal,
        assertLeading: () => {
          term.assertLeading();
        },
      });
    } catch (error) {
      // Work that fails because its term is over behaves as requested.
      if (!term.ended) this.#logger.error('The work of the leader failed.', { error });
    }
    term.end(new LeaseError('WorkEnded', 'the work of the leader has ended'));
  }

  /** Renews until the term is over. */
  async #keep(lock: LeaseLock, term: Term): Promise<void> {
    const { isStalled } = this.#options;
    for (;;) {
      await this.#pause(term.signal);
      if (term.ended) return;
      if (isStalled?.() === true) {
        this.#telemetry.fails('stalled', 'The lease is not renewed, because this process is stalled.', undefined);
        continue;
      }
      const result = await this.#attempt('renew', () =>
        lock.renew({ signal: term.signal, timeoutMs: this.#timing.timeoutMs }),
      );
      if (result?.kind === 'held') term.extend(result.writtenAt);
      const loss = result && lossIn(result);
      if (loss !== undefined) term.end(loss);
    }
  }

  async #release(lock: LeaseLock): Promise<void> {
    try {
      if (await lock.release({ timeoutMs: releaseTimeoutMs })) this.#logger.info('The lease was released.');
    } catch (error) {
      this.#logger.warn('The lease could not be released; others wait until it expires.', { error });
    }
  }

  async #attempt(what: 'acquire' | 'renew', attempt: () => Promise<LockResult>): Promise<LockResult | undefined> {
    try {
      const result = await attempt();
      this.#telemetry.attempted(result);
      return result;
    } catch (error) {
      this.#telemetry.failed(what, `The lease could not be ${what === 'acquire' ? 'acquired' : 'renewed'}.`, error);
      return undefined;
    }
  }

  /** Pauses; ends early when the signal aborts. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    await sleep(clock, this.#timing.nextTryMs(random), signal).catch(() => undefined);
  }
}
