import type { Client, KubeObject, Resource } from '@hawser/client';
import { type Connection, fixedNames, getCondition, heartbeatLeaseName } from '@hawser/core-kbind';
import { read } from '@hawser/preview';

const LEASES: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
/** Clocks differ. */
const SLACK_MS = 5_000;

interface Lease extends KubeObject {
  readonly spec?: {
    readonly renewTime?: string | null | undefined;
    readonly leaseDurationSeconds?: number | undefined;
  };
}

/** Whether a konnector serves a Connection. */
export interface Liveness {
  readonly alive: boolean;
  readonly lastHeartbeat?: string | undefined;
}

/**
 * Judges by the heartbeat on the provider (spec/kbind-v2.md §9.2). If that is unreadable, a Connection with conditions
 * counts as served.
 */
export async function livenessOf(
  { status }: Connection,
  provider: Client | undefined,
  nowMs: number,
  signal: AbortSignal,
): Promise<Liveness> {
  const uid = status?.localClusterUID ?? '';
  const seen = { alive: getCondition(status?.conditions, 'Ready') !== undefined };
  if (provider === undefined || uid === '') return seen;
  const key = { namespace: fixedNames.namespace, name: heartbeatLeaseName(uid) };
  const lease = await read<Lease>(provider, LEASES, key, { signal });
  const { renewTime, leaseDurationSeconds = 60 } = lease.kind === 'found' ? (lease.object.spec ?? {}) : {};
  if (typeof renewTime !== 'string') return seen;
  return {
    alive: Date.parse(renewTime) + leaseDurationSeconds * 1_000 + SLACK_MS > nowMs,
    lastHeartbeat: renewTime,
  };
}
