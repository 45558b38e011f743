import { type ClusterBindingStatus, parseTime } from '@hawser/kube-bind';

/** Heartbeat schedule. */
export interface HeartbeatPlan {
  /** Reported as `heartbeatInterval`. The provider gives up after twice this time (spec/konnector.md §7.2). */
  readonly intervalMs: number;
  /** Time to the next heartbeat: at most half the interval, less the jitter. */
  readonly periodMs: number;
  /** Minimum wait before a heartbeat, whatever the status says. Default 0. */
  readonly notBeforeMs?: number | undefined;
}

/** The last written heartbeat. */
export interface LastHeartbeat {
  /** On the monotonic clock. */
  readonly atMs: number;
  /** The API server's answer had its time. */
  readonly stays: boolean;
}

/** Minimum pause between two heartbeats of one konnector, whether the first stays or not. Less for short intervals. */
const PAUSE_MS = 30_000;

/**
 * Milliseconds until a konnector may correct the time of its last heartbeat. Otherwise two konnectors with one
 * kubeconfig and different clocks correct each other at once. A time that did not stay brings no earlier write. `nowMs`
 * is monotonic.
 */
export function pauseAfterHeartbeat(
  { periodMs }: HeartbeatPlan,
  { atMs, stays }: LastHeartbeat,
  nowMs: number,
): number {
  return Math.max(0, atMs + (stays ? Math.min(PAUSE_MS, periodMs) : periodMs) - nowMs);
}

/**
 * Computes the time to the next heartbeat: 86 % to 96 % of half the interval. Jitter spreads many konnectors; the
 * margin covers the write's duration and the cut to whole seconds.
 */
export function heartbeatPeriod(intervalMs: number, random: () => number): number {
  return (intervalMs / 2) * (0.96 - 0.1 * random());
}

/** Milliseconds until a heartbeat is due; 0 if it is. Ignores a last heartbeat in the future: some clock was wrong. */
export function msToHeartbeat(
  status: ClusterBindingStatus | undefined,
  { periodMs, notBeforeMs = 0 }: HeartbeatPlan,
  nowMs: number,
): number {
  const last = parseTime(status?.lastHeartbeatTime);
  if (last === undefined || last > nowMs) return notBeforeMs;
  return Math.max(notBeforeMs, last + periodMs - nowMs);
}
