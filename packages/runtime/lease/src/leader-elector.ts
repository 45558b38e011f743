import type { Client } from '@hawser/client';
import { type Clock, type Random, sleep } from '@hawser/clock';
import type { Counter, Gauge, Logger, Metrics } from '@hawser/telemetry';
import type { LeaderElector, Leadership, LeaseState } from './lease.js';
import { LeaseError } from './lease-error.js';
import { LeaseLock, type LockResult } from './lease-lock.js';
import { Term, elapsedMs } from './term.js';

export interface LeaderElectorOptions {
  /** Not one with a write guard: it must be able to renew. Best one of its own, so that a renewal never waits behind other requests. */
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /** Of this process and no other, for example the pod's uid: two processes of one identity both lead. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long others wait after the last renewal that they saw. Whole seconds. Default 15 000, as in client-go. */
  readonly leaseDurationMs?: number;
  /** How long we lead after the last renewal that we sent. Default 10 000. */
  readonly renewDeadlineMs?: number;
  /** Time between two tries, to which up to a fifth is added. Default 2000. */
  readonly retryPeriodMs?: number;
  /** Asked before each renewal: while it is true the lease is not renewed, so that a process that cannot do its work loses it. */
  readonly isStalled?: () => boolean;
}

const jitter = 0.2;
const releaseTimeoutMs = 5000;

/** @throws LeaseError `InvalidOptions` unless retryPeriod < renewDeadline < leaseDuration, jitter included. */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  return new Elector(options);
}

class Elector implements LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  readonly #logger: Logger;
  readonly #leading: Gauge;
  readonly #attempts: Counter;
  readonly #terms: Counter;
  #state: LeaseState = { kind: 'stopped' };
  #term: Term | undefined;
  /** So that a lasting failure is told once, not every two seconds. */
  #lastFailure: string | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2000;
    if (!(
      this.#retryPeriodMs > 0 &&
      this.#retryPeriodMs * (1 + jitter) < this.#renewDeadlineMs &&
      this.#renewDeadlineMs < this.#leaseDurationMs
    )) {
      throw new LeaseError(
        'InvalidOptions',
        'the retry period must be shorter than the renew deadline, and that shorter than the lease duration',
      );
    }
    if (options.identity === '') throw new LeaseError('InvalidOptions', 'the identity must not be empty');
    const { namespace, name, identity, logger, metrics } = options;
    this.#logger = logger.child({ lease: `${namespace}/${name}`, identity });
    this.#leading = metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1 or 0.',
      labels: ['name'],
    });
    this.#attempts = metrics.counter({
      name: 'hawser_lease_attempts_total',
      help: 'Tries to acquire or renew a lease by result.',
      labels: ['name', 'result'],
    });
    this.#terms = metrics.counter({
      name: 'hawser_lease_terms_total',
      help: 'Terms of leadership that ended, by reason.',
      labels: ['name', 'reason'],
    });
    this.#leading.set(0, { name });
  }

  get state(): LeaseState {
    // Whoever asks after a stall must not be told a leader who is none.
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
    return new LeaseLock({ client, namespace, name, identity, clock, leaseDurationMs: this.#leaseDurationMs });
  }

  /** Until the lease is ours; undefined if the signal aborts before. */
  async #campaign(lock: LeaseLock, signal: AbortSignal): Promise<Term | undefined> {
    const { clock, isStalled } = this.#options;
    for (;;) {
      if (signal.aborted) return undefined;
      if (isStalled?.() !== true) {
        const result = await this.#attempt('acquire', () =>
          lock.acquire({ signal, timeoutMs: this.#renewDeadlineMs / 2 }),
        );
        // Although the signal may have aborted, or the answer may have taken longer than the term may last: it is served, and released at once.
        if (result?.kind === 'held') return new Term(clock, this.#renewDeadlineMs, result.writtenAt);
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

  /** From the beginning of a term until its work has ended and the lease is released or lost. */
  async #serve(
    lock: LeaseLock,
    term: Term,
    lead: (leadership: Leadership) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, name } = this.#options;
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
      this.#leading.set(1, { name });
      this.#logger.info('This process leads.');
      await Promise.all([this.#work(term, lead), this.#keep(lock, term)]);
    }
    signal.removeEventListener('abort', stop);
    if (term.reason?.code !== 'LeaseLost') await this.#release(lock);
    this.#term = undefined;
    this.#state = { kind: 'following' };
  }

  #stepDown(term: Term): void {
    const { name } = this.#options;
    const { reason } = term;
    this.#state = { kind: 'following' };
    this.#leading.set(0, { name });
    this.#terms.inc({ name, reason: reason?.code ?? 'Stopped' });
    const fields = { reason: reason?.code, renewedMsAgo: Math.round(elapsedMs(this.#options.clock, term.renewedAt)) };
    if (reason?.code === 'Stopped') this.#logger.info('This process leads no longer.', fields);
    else this.#logger.warn('This process leads no longer.', fields);
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
      // What ends with an error because its term is over does as it was told.
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
        this.#fail('stalled', 'The lease is not renewed, because this process is stalled.', undefined);
        continue;
      }
      const result = await this.#attempt('renew', () =>
        lock.renew({ signal: term.signal, timeoutMs: this.#renewDeadlineMs / 2 }),
      );
      if (result !== undefined) this.#conclude(term, result);
    }
  }

  #conclude(term: Term, result: LockResult): void {
    switch (result.kind) {
      case 'held':
        term.extend(result.writtenAt);
        return;
      case 'taken':
        term.end(new LeaseError('LeaseLost', `${result.by} holds the lease`));
        return;
      case 'free':
        term.end(new LeaseError('LeaseLost', 'the lease was released or deleted'));
        return;
      case 'raced':
        return;
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
    const { name } = this.#options;
    try {
      const result = await attempt();
      this.#attempts.inc({ name, result: result.kind });
      this.#lastFailure = undefined;
      return result;
    } catch (error) {
      this.#attempts.inc({ name, result: 'error' });
      this.#fail(what, `The lease could not be ${what === 'acquire' ? 'acquired' : 'renewed'}.`, error);
      return undefined;
    }
  }

  #fail(what: string, message: string, error: unknown): void {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
    const failure = `${what} ${code}`;
    if (code === 'Aborted' || failure === this.#lastFailure) {
      this.#logger.debug(message, { error });
      return;
    }
    this.#lastFailure = failure;
    this.#logger.warn(message, { error });
  }

  /** Ends early when the signal aborts. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    await sleep(clock, this.#retryPeriodMs * (1 + jitter * random()), signal).catch(() => undefined);
  }
}
