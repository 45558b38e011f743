import type { Client } from '@hawser/client';
import { type LeaderElector, type ShardTerm, createLeaderElector } from '@hawser/lease';

import type { Config } from '@hawser/config';
import type { HealthCheck } from './health-server.js';
import type { ProcessContext } from '@hawser/commands';
import { until } from './until.js';

export interface ElectedOptions {
  readonly lease: Config['konnector']['lease'];
  readonly defaultName: string;
  /** For the work. */
  readonly client: Client;
  /** For the Lease: one that no limit of requests per second holds up, or the Lease would be lost under load. */
  readonly leaseClient: Client;
  readonly context: ProcessContext;
  /** Ends, with nothing in flight, soon after `signal` aborts. */
  readonly work: Work;
}

/**
 * Work under a lease. `client` refuses writes once `mayWrite` aborts; give that very signal to further clients: reading it looks at the clock, so that
 * the first write after a stall is refused too. With `shards` only what this process owns is its work.
 */
export type Work = (client: Client, signal: AbortSignal, mayWrite: AbortSignal, shards?: ShardTerm) => Promise<void>;

/** Work that only one process at a time does. */
export interface Elected {
  /** Campaigns and works until `signal` aborts; then lets the work end in order and releases the lease. */
  run(signal: AbortSignal): Promise<void>;
  readonly leading: boolean;
  checks(): readonly HealthCheck[];
}

/** The name of the provider role's, unless the config has another. */
export const PROVIDER_LEASE = 'hawser-provider';

/** How far past the lease's duration a leader may be without renewal before /healthz says so (`spec/konnector.md §2.5`). */
export const STALE_BEYOND_DURATION_MS = 20_000;

/** Where the Lease, and what else the process writes down on its cluster, stands. */
export function leaseNamespace(lease: ElectedOptions['lease'], { env }: Pick<ProcessContext, 'env'>): string {
  return lease.namespace !== '' ? lease.namespace : (env['POD_NAMESPACE'] ?? '') || 'kube-system';
}

/** Where the Lease stands, and its name. */
export function leasePlace(
  lease: ElectedOptions['lease'],
  defaultName: string,
  context: Pick<ProcessContext, 'env'>,
): { readonly namespace: string; readonly name: string } {
  return { namespace: leaseNamespace(lease, context), name: lease.name ?? defaultName };
}

export function createElected(options: ElectedOptions): Elected {
  const { lease, client, leaseClient, context, work } = options;
  let leading = false;
  const identity =
    lease.identity !== ''
      ? lease.identity
      : (context.env['POD_NAME'] ?? '') || String(Math.floor(context.random() * 2 ** 31));
  const elector: LeaderElector | undefined = lease.enabled
    ? createLeaderElector({
        client: leaseClient,
        ...leasePlace(lease, options.defaultName, context),
        identity,
        leaseDurationMs: lease.durationSeconds * 1_000,
        renewDeadlineMs: lease.renewDeadlineSeconds * 1_000,
        retryPeriodMs: lease.retryPeriodSeconds * 1_000,
        clock: context.clock,
        random: context.random,
        logger: context.logger,
        metrics: context.metrics,
      })
    : undefined;

  const lead = async (guarded: Client, signal: AbortSignal, mayWrite: AbortSignal): Promise<void> => {
    leading = true;
    try {
      await work(guarded, signal, mayWrite);
    } finally {
      leading = false;
    }
  };

  return {
    get leading() {
      return leading;
    },
    async run(signal) {
      if (elector === undefined) return lead(client, signal, new AbortController().signal);
      // The campaign outlives the work: what is in flight ends while the lease is still ours.
      const campaign = new AbortController();
      const running = elector.run(async ({ signal: term }) => {
        await lead(client.withWriteGuard(term), AbortSignal.any([signal, term]), term);
        if (signal.aborted) campaign.abort();
      }, campaign.signal);
      const standby = until(signal).then(() => {
        if (!leading) campaign.abort();
      });
      await running;
      campaign.abort();
      void standby;
    },
    checks: () =>
      elector === undefined
        ? []
        : [
            {
              name: 'leaderElection',
              ok: elector.staleness <= lease.durationSeconds * 1_000 + STALE_BEYOND_DURATION_MS,
              critical: true,
              detail: leading ? 'leading' : 'standing by',
            },
          ],
  };
}
