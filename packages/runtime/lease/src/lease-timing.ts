import type { Random } from '@hawser/clock';
import { LeaseError } from './lease-error.js';

/** How fast a Lease changes hands. All processes that share one need the same values. */
export interface LeaseTimingOptions {
  /** How long others wait after the last renewal that they saw. Whole seconds. Default 15 000 ms, as in client-go. */
  readonly leaseDurationMs?: number;
  /** How long we lead after the last renewal that we sent. Default 10 000 ms. */
  readonly renewDeadlineMs?: number;
  /** Time between two tries, plus up to a fifth. Default 2000 ms. */
  readonly retryPeriodMs?: number;
}

const jitter = 0.2;

/** Checked durations of a Lease. */
export class LeaseTiming {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;

  /**
   * @param periods number of tries that must fit into the renew deadline.
   * @throws LeaseError `InvalidOptions` unless periods × retryPeriod < renewDeadline < leaseDuration, jitter included.
   */
  constructor(
    { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 }: LeaseTimingOptions,
    periods: 1 | 2,
  ) {
    this.leaseDurationMs = leaseDurationMs;
    this.renewDeadlineMs = renewDeadlineMs;
    this.retryPeriodMs = retryPeriodMs;
    if (!(
      retryPeriodMs > 0 &&
      periods * retryPeriodMs * (1 + jitter) < renewDeadlineMs &&
      renewDeadlineMs < leaseDurationMs
    ))
      throw new LeaseError(
        'InvalidOptions',
        `${periods === 1 ? 'the' : 'twice the'} retry period must be shorter than the renew deadline, and that shorter than the lease duration`,
      );
  }

  /** Time limit of one request: a second one fits into the renew deadline. */
  get timeoutMs(): number {
    return this.renewDeadlineMs / 2;
  }

  /** Milliseconds until the next try. */
  nextTryMs(random: Random): number {
    return this.retryPeriodMs * (1 + jitter * random());
  }
}
