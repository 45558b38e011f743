import type { Counter, Gauge, Logger, Metrics } from '@hawser/telemetry';
import type { LeaseError } from './lease-error.js';
import type { LockResult } from './lease-lock.js';
import { LeaseTelemetry } from './lease-telemetry.js';

/** Metrics and logs of a member of a group. */
export class ShardTelemetry {
  readonly #name: string;
  readonly #lease: LeaseTelemetry;
  readonly #held: Gauge;
  readonly #unowned: Gauge;
  readonly #members: Gauge;
  readonly #moves: Counter;

  constructor(name: string, logger: Logger, metrics: Metrics) {
    this.#name = name;
    this.#lease = new LeaseTelemetry(name, logger, metrics);
    const labels = ['name'];
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
    this.#held.set(0, { name });
  }

  began(): void {
    this.#lease.began('This process takes part.');
  }

  /** Sets the gauges. Called only while it serves: a process that does not take part knows nothing. */
  shows(held: number, members: number, unowned: number): void {
    const name = this.#name;
    this.#held.set(held, { name });
    this.#members.set(members, { name });
    this.#unowned.set(unowned, { name });
  }

  ended(reason: LeaseError | undefined, renewedMsAgo: number): void {
    const name = this.#name;
    this.#held.set(0, { name });
    this.#members.remove({ name });
    this.#unowned.remove({ name });
    this.#lease.ended('This process takes part no longer.', reason, renewedMsAgo);
  }

  moved(way: 'taken' | 'released', count: number): void {
    this.#moves.inc({ name: this.#name, way }, count);
  }

  attempted(result: LockResult): void {
    this.#lease.attempted(result);
  }

  failed(error: unknown): void {
    this.#lease.failed('renew', 'The Leases of the group could not be renewed.', error);
  }
}
