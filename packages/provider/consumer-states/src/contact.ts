import { type ClusterBinding, parseDuration, parseTime } from '@hawser/kube-bind';

/** Whether the konnector of a consumer reports. `future`: its heartbeat has a future time. Closed. */
export type Contact = 'never' | 'future' | 'silent' | 'alive';

/** A konnector that does not state its interval is silent after this. */
const DEFAULT_INTERVAL_MS = 300_000;
/** Longest accepted interval: a konnector with an interval of days would never be silent. */
const LONGEST_INTERVAL_MS = 3_600_000;
/** Tolerance for clock differences, and for a heartbeat on its way. */
const GRACE_MS = 30_000;

/**
 * Determines the contact from the konnector's own report, as far as that can be true: two missed heartbeats make it
 * silent. `nowMs`: milliseconds since the epoch. Pure.
 */
export function contactOf(status: ClusterBinding['status'], nowMs: number): Contact {
  const last = parseTime(status?.lastHeartbeatTime);
  if (last === undefined) return 'never';
  if (last > nowMs + GRACE_MS) return 'future';
  const reported = parseDuration(status?.heartbeatInterval ?? '') ?? 0;
  const interval = Math.min(reported > 0 ? reported : DEFAULT_INTERVAL_MS, LONGEST_INTERVAL_MS);
  return nowMs - last > 2 * interval + GRACE_MS ? 'silent' : 'alive';
}
