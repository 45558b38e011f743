import { SHARDS, type ShardMember, createShardMember } from '@hawser/lease';

import { type Elected, type ElectedOptions, STALE_BEYOND_DURATION_MS, leasePlace } from './elected.js';
import { until } from './until.js';

/** How long a shard may be without a living holder before the health check says so: a killed process is replaced within the Lease's duration. */
const UNOWNED_BEYOND_DURATION_MS = 10_000;

/**
 * Work that several processes share by shards. `leading` is whether this process takes part. Its writes end before another process can have what it serves, as under a
 * Lease of its own.
 */
export function createSharedWork({ lease, defaultName, leaseClient, client, context, work }: ElectedOptions): Elected {
  const { clock, random, logger, metrics, env } = context;
  let leading = false;
  let unownedSince: number | undefined;
  const base = lease.identity !== '' ? lease.identity : (env['POD_NAME'] ?? '') || 'hawser';
  const member: ShardMember = createShardMember({
    client: leaseClient,
    ...leasePlace(lease, defaultName, context),
    // A pod of a StatefulSet is called as the one before it.
    identity: `${base}-${Math.floor(random() * 2 ** 31).toString(36)}`,
    leaseDurationMs: lease.durationSeconds * 1_000,
    renewDeadlineMs: lease.renewDeadlineSeconds * 1_000,
    retryPeriodMs: lease.retryPeriodSeconds * 1_000,
    clock,
    random,
    logger,
    metrics,
  });
  const isUnowned = (): boolean => {
    const { state } = member;
    if (state.kind !== 'serving' || state.unowned === 0) unownedSince = undefined;
    else unownedSince ??= clock.monotonic();
    return (
      unownedSince !== undefined &&
      clock.monotonic() - unownedSince > lease.durationSeconds * 1_000 + UNOWNED_BEYOND_DURATION_MS
    );
  };
  return {
    get leading() {
      return leading;
    },
    async run(signal) {
      // The campaign outlives the work: what is in flight ends while the shards are still ours.
      const campaign = new AbortController();
      const running = member.run(async (term) => {
        leading = true;
        try {
          await work(client.withWriteGuard(term.signal), AbortSignal.any([signal, term.signal]), term.signal, term);
        } finally {
          leading = false;
        }
        if (signal.aborted) campaign.abort();
      }, campaign.signal);
      const standby = until(signal).then(() => {
        if (!leading) campaign.abort();
      });
      await running;
      campaign.abort();
      void standby;
    },
    checks: () => [
      {
        name: 'leaderElection',
        ok: member.staleness <= lease.durationSeconds * 1_000 + STALE_BEYOND_DURATION_MS,
        critical: true,
        detail: leading ? 'leading' : 'standing by',
      },
      { name: 'shards', ok: !isUnowned(), critical: false, detail: shardsDetail(member.state) },
    ],
  };
}

function shardsDetail(state: ShardMember['state']): string {
  switch (state.kind) {
    case 'stopped':
      return 'stopped';
    case 'joining':
      return state.waitsFor === undefined ? 'joins' : `waits for ${state.waitsFor}`;
    case 'serving':
      return [
        `serves ${state.shards.length} of ${SHARDS} (${state.shards.join(' ')})`,
        state.members === 1 ? '1 process' : `${state.members} processes`,
        ...(state.unowned === 0 ? [] : [`${state.unowned} without a process`]),
      ].join(', ');
  }
}
