import { type ClusterBinding, parseDuration, parseTime } from '@hawser/kube-bind';

/** Whether the konnector of a consumer reports. `future`: it names a time that has not come. Closed. */
export type Contact = 'never' | 'future' | 'silent' | 'alive';

/** A konnector that does not say how often it reports is silent after this. */
const DEFAULT_INTERVAL_MS = 300_000;
/** Whatever a konnector says: one that may be silent for days would never be. */
const LONGEST_INTERVAL_MS = 3_600_000;
/** For a clock that differs, and for a heartbeat on its way. */
const GRACE_MS = 30_000;

/** By what a konnector has written, as far as that can be true: one that has missed two heartbeats is silent. `nowMs`: milliseconds since the epoch. Pure. */
export function contactOf(status: ClusterBinding['status'], nowMs: number): Contact {
  const last = parseTime(status?.lastHeartbeatTime);
  if (last === undefined) return 'never';
  if (last > nowMs + GRACE_MS) return 'future';
  const said = parseDuration(status?.heartbeatInterval ?? '') ?? 0;
  const interval = Math.min(said > 0 ? said : DEFAULT_INTERVAL_MS, LONGEST_INTERVAL_MS);
  return nowMs - last > 2 * interval + GRACE_MS ? 'silent' : 'alive';
}
