import type { Random } from '@hawser/clock';
import { LeaseError } from './lease-error.js';

/** How fast a Lease changes hands. All processes that share one need the same. */
export interface LeaseTimingOptions {
  /** How long others wait after the last renewal that they saw. Whole seconds. Default 15 000, as in client-go. */
  readonly leaseDurationMs?: number;
  /** How long we lead after the last renewal that we sent. Default 10 000. */
  readonly renewDeadlineMs?: number;
  /** Time between two tries, to which up to a fifth is added. Default 2000. */
  readonly retryPeriodMs?: number;
}

const jitter = 0.2;

/** Durations that work together. */
export class LeaseTiming {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;

  /**
   * @param periods so many tries have to fit into the renew deadline.
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

  /** How long one request may take: a second one fits into the renew deadline. */
  get timeoutMs(): number {
    return this.renewDeadlineMs / 2;
  }

  /** Until the next try. */
  nextTryMs(random: Random): number {
    return this.retryPeriodMs * (1 + jitter * random());
  }
}
