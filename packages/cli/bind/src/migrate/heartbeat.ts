import { type ClusterBinding, parseDuration, parseTime } from '@hawser/kube-bind';

const DEFAULT_INTERVAL_MS = 300_000;

/**
 * Whether a konnector may still work for this consumer, wherever it keeps its Lease. True if its last heartbeat is
 * younger than two of its intervals, or comes from a clock that is ahead. Pure.
 */
export function isBeating({ status }: Pick<ClusterBinding, 'status'>, nowMs: number): boolean {
  const last = parseTime(status?.lastHeartbeatTime);
  if (last === undefined) return false;
  const intervalMs = parseDuration(status?.heartbeatInterval ?? '') ?? DEFAULT_INTERVAL_MS;
  return nowMs - last < 2 * intervalMs;
}
