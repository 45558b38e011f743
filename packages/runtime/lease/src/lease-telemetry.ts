import type { Counter, Gauge, Logger, Metrics } from '@hawser/telemetry';
import type { LeaseError } from './lease-error.js';
import type { LockResult } from './lease-lock.js';

/** Metrics and logs of terms and of tries to renew them. */
export class LeaseTelemetry {
  readonly #name: string;
  readonly #logger: Logger;
  readonly #leading: Gauge;
  readonly #attempts: Counter;
  readonly #terms: Counter;
  /** Logs a lasting failure once, not every two seconds. */
  #lastFailure: string | undefined;

  constructor(name: string, logger: Logger, metrics: Metrics) {
    this.#name = name;
    this.#logger = logger;
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

  began(message: string): void {
    this.#leading.set(1, { name: this.#name });
    this.#logger.info(message);
  }

  /** A term is over. A stop is no warning. */
  ended(message: string, reason: LeaseError | undefined, renewedMsAgo: number): void {
    const name = this.#name;
    this.#leading.set(0, { name });
    this.#terms.inc({ name, reason: reason?.code ?? 'Stopped' });
    const fields = { reason: reason?.code, renewedMsAgo: Math.round(renewedMsAgo) };
    if (reason?.code === 'Stopped') this.#logger.info(message, fields);
    else this.#logger.warn(message, fields);
  }

  attempted(result: LockResult): void {
    this.#attempts.inc({ name: this.#name, result: result.kind });
    this.#lastFailure = undefined;
  }

  /** A try failed. `what` separates kinds of failures. */
  failed(what: string, message: string, error: unknown): void {
    this.#attempts.inc({ name: this.#name, result: 'error' });
    this.fails(what, message, error);
  }

  /** Logs it, unless it was the last one logged. */
  fails(what: string, message: string, error: unknown): void {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
    const failure = `${what} ${code}`;
    if (code === 'Aborted' || failure === this.#lastFailure) {
      this.#logger.debug(message, { error });
      return;
    }
    this.#lastFailure = failure;
    this.#logger.warn(message, { error });
  }
}
