import type { KubeObject } from '@hawser/client';
import { type SecretKeyRef, unitOf } from '@hawser/konnector-connection';
import { GROUP_LABEL, SHARD_LABEL, shardOf } from '@hawser/lease';
import { list } from '@hawser/preview';

import type { ExplainContext } from './context.js';
import type { Examination } from './examination.js';

/** The konnector that serves a binding, if several share the work. */
export interface ShardOwner {
  readonly shard: number;
  /** Absent: none holds it. */
  readonly konnector?: string | undefined;
  /** Whether it has renewed its Lease lately, by the local clock. */
  readonly alive: boolean;
}

interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly renewTime?: string | null;
    readonly leaseDurationSeconds?: number | null;
  };
}

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** How long after its Lease's duration a konnector counts as alive: clocks differ. */
const SLACK_MS = 10_000;

/** Reads the owners of all shards; undefined if one konnector does everything, or Leases are unreadable. */
export async function readShardOwners(
  context: ExplainContext,
): Promise<((secret: SecretKeyRef | undefined) => ShardOwner) | undefined> {
  const { consumer, dialect, signal } = context;
  const now = context.now();
  const labelSelector = `${GROUP_LABEL}=${dialect.names.konnectorLease}`;
  const read = await list<Lease>(consumer, leases, { labelSelector, signal });
  if (read.kind === 'failed' || read.items.length === 0) return undefined;
  const holders = new Map<number, string>();
  const alive = new Set<string>();
  for (const { metadata, spec } of read.items) {
    const holder = spec?.holderIdentity ?? '';
    const shard = metadata.labels?.[SHARD_LABEL];
    if (holder === '') continue;
    if (shard !== undefined) holders.set(Number(shard), holder);
    else if (now - Date.parse(spec?.renewTime ?? '') < (spec?.leaseDurationSeconds ?? 0) * 1000 + SLACK_MS)
      alive.add(holder);
  }
  return (secret) => {
    const shard = shardOf(unitOf(secret));
    const konnector = holders.get(shard);
    return { shard, konnector, alive: konnector !== undefined && alive.has(konnector) };
  };
}

/** The owner as part of a sentence or line. */
export function ownerText({ shard, konnector, alive }: ShardOwner): string {
  if (konnector === undefined) return `shard ${shard}, which no konnector serves`;
  return `shard ${shard}, served by konnector ${konnector}${alive ? '' : ', which has not renewed its Lease'}`;
}

/** Whether a process serves the binding. */
export function examineOwner(subject: string, owner: ShardOwner): Examination {
  const text = ownerText(owner);
  const message = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  return owner.alive
    ? { area: 'konnector', subject, state: 'ok', message }
    : {
        area: 'konnector',
        subject,
        state: 'failed',
        message,
        actor: 'operator',
        remedy: 'looks at the pods of the konnector and their /readyz?verbose; see the runbook of HawserShardsUnowned',
      };
}
