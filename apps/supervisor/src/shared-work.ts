import { SHARDS, type ShardMember, createShardMember } from '@hawser/lease';

import type { Elected, ElectedOptions } from './elected.js';
import { LedWork, leaseOptions } from './led-work.js';

/**
 * How long a shard may lack a living holder before the health check reports it: a killed process is replaced within the
 * Lease's duration.
 */
const UNOWNED_BEYOND_DURATION_MS = 10_000;

/**
 * Work that several processes share by shards. `leading` says whether this process takes part. Its writes end before
 * another process can take over its shards, as with a Lease of its own.
 */
export function createSharedWork(options: ElectedOptions): Elected {
  const { lease, client, context, work } = options;
  const { clock, random, env } = context;
  const led = new LedWork();
  let unownedSince: number | undefined;
  const base = lease.identity !== '' ? lease.identity : (env['POD_NAME'] ?? '') || 'hawser';
  const member: ShardMember = createShardMember({
    ...leaseOptions(options),
    // A pod of a StatefulSet has the name of its predecessor.
    identity: `${base}-${Math.floor(random() * 2 ** 31).toString(36)}`,
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
      return led.leading;
    },
    run: (signal) =>
      led.campaign(signal, (lead, campaign) =>
        member.run(
          (term) =>
            lead(() =>
              work(client.withWriteGuard(term.signal), AbortSignal.any([signal, term.signal]), term.signal, term),
            ),
          campaign,
        ),
      ),
    checks: () => [
      led.check(member, lease),
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
