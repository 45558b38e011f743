import type { Counter, Gauge, Logger, Metrics } from '@hawser/telemetry';
import type { LeaseError } from './lease-error.js';
import type { LockResult } from './lease-lock.js';

/** What a member of a group counts and says. */
export class ShardTelemetry {
  readonly #name: string;
  readonly #logger: Logger;
  readonly #leading: Gauge;
  readonly #held: Gauge;
  readonly #unowned: Gauge;
  readonly #members: Gauge;
  readonly #moves: Counter;
  readonly #attempts: Counter;
  readonly #terms: Counter;
  /** So that a lasting failure is told once, not every two seconds. */
  #lastFailure: string | undefined;

  constructor(name: string, logger: Logger, metrics: Metrics) {
    this.#name = name;
    this.#logger = logger;
    const labels = ['name'];
    this.#leading = metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1 or 0.',
      labels,
    });
    this.#held = metrics.gauge({ name: 'hawser_shards_held', help: 'Shards that this process serves.', labels });
    this.#unowned = metrics.gauge({
      name: 'hawser_shards_unowned',
      help: 'Shards that no living process holds, as this process sees it.',
      labels,
    });
    this.#members = metrics.gauge({
      name: 'hawser_shard_members',
      help: 'Living processes that share the work, as this process sees it.',
      labels,
    });
    this.#moves = metrics.counter({
      name: 'hawser_shard_moves_total',
      help: 'Shards that this process has taken or released.',
      labels: ['name', 'way'],
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
    this.#held.set(0, { name });
  }

  began(): void {
    this.#leading.set(1, { name: this.#name });
    this.#logger.info('This process takes part.');
  }

  /** Only while it serves: a process that does not take part knows nothing. */
  shows(held: number, members: number, unowned: number): void {
    const name = this.#name;
    this.#held.set(held, { name });
    this.#members.set(members, { name });
    this.#unowned.set(unowned, { name });
  }

  ended(reason: LeaseError | undefined, renewedMsAgo: number): void {
    const name = this.#name;
    const code = reason?.code ?? 'Stopped';
    this.#leading.set(0, { name });
    this.#held.set(0, { name });
    this.#members.remove({ name });
    this.#unowned.remove({ name });
    this.#terms.inc({ name, reason: code });
    const fields = { reason: code, renewedMsAgo: Math.round(renewedMsAgo) };
    if (code === 'Stopped') this.#logger.info('This process takes part no longer.', fields);
    else this.#logger.warn('This process takes part no longer.', fields);
  }

  moved(way: 'taken' | 'released', count: number): void {
    this.#moves.inc({ name: this.#name, way }, count);
  }

  attempted(result: LockResult): void {
    this.#attempts.inc({ name: this.#name, result: result.kind });
    this.#lastFailure = undefined;
  }

  failed(error: unknown): void {
    this.#attempts.inc({ name: this.#name, result: 'error' });
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
    const message = 'The Leases of the group could not be renewed.';
    if (code === 'Aborted' || code === this.#lastFailure) {
      this.#logger.debug(message, { error });
      return;
    }
    this.#lastFailure = code;
    this.#logger.warn(message, { error });
  }
}
