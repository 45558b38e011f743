import type { LeaderElector, LeaderElectorOptions, ShardMember } from '@hawser/lease';
import type { Config } from '@hawser/config';
import type { ProcessContext } from '@hawser/commands';
import type { ElectedOptions } from './elected.js';
import type { HealthCheck } from './health-server.js';
import { until } from './until.js';

type LeaseConfig = Config['konnector']['lease'];

/**
 * How long past the lease's duration a leader may miss renewals before /healthz reports it (`spec/konnector.md §2.5`).
 */
const STALE_BEYOND_DURATION_MS = 20_000;

/** Namespace of the Lease and of the other state that the process keeps on its cluster. */
export function leaseNamespace(lease: LeaseConfig, { env }: Pick<ProcessContext, 'env'>): string {
  return lease.namespace !== '' ? lease.namespace : (env['POD_NAMESPACE'] ?? '') || 'kube-system';
}

/** Namespace and name of the Lease. */
export function leaseKey(
  lease: LeaseConfig,
  defaultName: string,
  context: Pick<ProcessContext, 'env'>,
): { readonly namespace: string; readonly name: string } {
  return { namespace: leaseNamespace(lease, context), name: lease.name ?? defaultName };
}

/** Common options of Lease candidates and shard members, without their identity. */
export function leaseOptions({
  lease,
  defaultName,
  leaseClient: client,
  context,
}: ElectedOptions): Omit<LeaderElectorOptions, 'identity'> {
  const { clock, random, logger, metrics } = context;
  return {
    client,
    ...leaseKey(lease, defaultName, context),
    leaseDurationMs: lease.durationSeconds * 1_000,
    renewDeadlineMs: lease.renewDeadlineSeconds * 1_000,
    retryPeriodMs: lease.retryPeriodSeconds * 1_000,
    clock,
    random,
    logger,
    metrics,
  };
}

/** Work done during the terms of a lease. */
export class LedWork {
  #leading = false;

  /** Whether the work is in progress. */
  get leading(): boolean {
    return this.#leading;
  }

  /** Does the work of one term. */
  async lead(work: () => Promise<void>): Promise<void> {
    this.#leading = true;
    try {
      await work();
    } finally {
      this.#leading = false;
    }
  }

  /**
   * Campaigns until `signal` aborts. The campaign outlives the work: work in flight ends while the lease is still held.
   * `run` campaigns until its own signal aborts, and passes the work of each term to its first argument.
   */
  async campaign(
    signal: AbortSignal,
    run: (term: (work: () => Promise<void>) => Promise<void>, campaign: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const campaign = new AbortController();
    const running = run(async (work) => {
      await this.lead(work);
      if (signal.aborted) campaign.abort();
    }, campaign.signal);
    const standby = until(signal).then(() => {
      if (!this.#leading) campaign.abort();
    });
    await running;
    campaign.abort();
    void standby;
  }

  /** The health check `leaderElection`: fails if the lease was not renewed for too long. */
  check({ staleness }: Pick<LeaderElector | ShardMember, 'staleness'>, lease: LeaseConfig): HealthCheck {
    return {
      name: 'leaderElection',
      ok: staleness <= lease.durationSeconds * 1_000 + STALE_BEYOND_DURATION_MS,
      critical: true,
      detail: this.#leading ? 'leading' : 'standing by',
    };
  }
}
