import { type ClusterBindingStatus, parseTime } from '@hawser/kube-bind';

/** How often to write a heartbeat. */
export interface HeartbeatPlan {
  /** What is reported as `heartbeatInterval`. The provider gives up after twice as long (spec/konnector.md §7.2). */
  readonly intervalMs: number;
  /** The time to the next heartbeat: at most half the interval, less the jitter. */
  readonly periodMs: number;
  /** No heartbeat before so many milliseconds, whatever the status says. Default 0. */
  readonly notBeforeMs?: number | undefined;
}

/** A heartbeat that was written. */
export interface LastHeartbeat {
  /** On the monotonic clock. */
  readonly atMs: number;
  /** The API server has answered with its time. */
  readonly stays: boolean;
}

/** Between two heartbeats of one konnector, whatever becomes of the first. Shorter where the interval is. */
const PAUSE_MS = 30_000;

/**
 * Milliseconds for which a konnector leaves the time of its last heartbeat alone. Two konnectors with one kubeconfig whose clocks differ would otherwise each put right at once what the
 * other has written. One whose time did not stay is written no sooner than any other. `nowMs` is monotonic.
 */
export function pauseAfterHeartbeat(
  { periodMs }: HeartbeatPlan,
  { atMs, stays }: LastHeartbeat,
  nowMs: number,
): number {
  return Math.max(0, atMs + (stays ? Math.min(PAUSE_MS, periodMs) : periodMs) - nowMs);
}

/**
 * The time to the next heartbeat: between 86 % and 96 % of half the interval, so that many konnectors do not report together and a heartbeat,
 * with the time it takes and the cut to whole seconds, is not later than half the interval after the last.
 */
export function heartbeatPeriod(intervalMs: number, random: () => number): number {
  return (intervalMs / 2) * (0.96 - 0.1 * random());
}

/** Milliseconds until a heartbeat is due; 0 if it is. A last heartbeat in the future is no excuse: some clock was wrong. */
export function msToHeartbeat(
  status: ClusterBindingStatus | undefined,
  { periodMs, notBeforeMs = 0 }: HeartbeatPlan,
  nowMs: number,
): number {
  const last = parseTime(status?.lastHeartbeatTime);
  if (last === undefined || last > nowMs) return notBeforeMs;
  return Math.max(notBeforeMs, last + periodMs - nowMs);
}
