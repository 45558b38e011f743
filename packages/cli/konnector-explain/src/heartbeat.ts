import { type ClusterBinding, parseDuration } from '@hawser/kube-bind';

const DEFAULT_HEARTBEAT_MS = 300_000;

/** A konnector that has missed two heartbeats is gone, or cut off. */
export function isAlive(clusterBinding: ClusterBinding | undefined, nowMs: number): boolean {
  const { lastHeartbeatTime, heartbeatInterval } = clusterBinding?.status ?? {};
  if (lastHeartbeatTime === undefined) return false;
  return nowMs - Date.parse(lastHeartbeatTime) < 2 * intervalOf(heartbeatInterval);
}

function intervalOf(text: string | undefined): number {
  try {
    return text === undefined ? DEFAULT_HEARTBEAT_MS : parseDuration(text) || DEFAULT_HEARTBEAT_MS;
  } catch {
    return DEFAULT_HEARTBEAT_MS;
  }
}
