import {
  type ClusterBinding,
  conditionReasons,
  conditionTypes,
  falseCondition,
  getCondition,
  type NewCondition,
  parseDuration,
  parseTime,
  trueCondition,
} from '@hawser/kube-bind';
import type { Sighting } from './sighting.js';

/** Health of a consumer. Closed. */
export type Health = 'healthy' | 'pending' | 'silent' | 'drifting';

export interface HealthDecision {
  readonly health: Health;
  readonly condition: NewCondition;
  /** Decide again at this time without an event, in milliseconds since the epoch. */
  readonly until?: number | undefined;
}

/**
 * Limits of the reporting interval that a consumer states: beyond them health would be meaningless, or its checks too
 * frequent.
 */
export const intervalBoundsMs = { least: 5_000, most: 86_400_000 } as const;

/** Tolerance for a consumer's clock ahead of ours; after exceeding it, it must return to half of it. */
export const driftToleranceMs = 10_000;

/**
 * Computes the condition `Healthy` (spec/kube-bind-backend.md §10.2, §17.2). Pure. Its text depends only on the state:
 * heartbeats in time do not change it, and neither does continued silence.
 */
export function decideHealth(binding: ClusterBinding, sighting: Sighting, now: number): HealthDecision {
  const { lastHeartbeatTime, heartbeatInterval } = binding.status ?? {};
  const sent = parseTime(lastHeartbeatTime);
  if (lastHeartbeatTime === undefined || sent === undefined) {
    return {
      health: 'pending',
      condition: no(
        conditionReasons.firstHeartbeatPending,
        'Info',
        'No konnector has reported yet. The consumer has to run one with the kubeconfig that it was given.',
      ),
    };
  }
  const interval = heartbeatInterval === undefined ? undefined : parseDuration(heartbeatInterval);
  if (interval === undefined || interval <= 0) {
    return {
      health: 'pending',
      condition: no(
        conditionReasons.heartbeatIntervalMissing,
        'Info',
        'The konnector does not say how often it reports, so Hawser cannot tell whether it still does. The consumer has to update it.',
      ),
    };
  }
  const allowance = 2 * Math.min(Math.max(interval, intervalBoundsMs.least), intervalBoundsMs.most);
  const wasDrifting =
    getCondition(binding.status?.conditions, conditionTypes.healthy)?.reason === conditionReasons.heartbeatTimeDrift;
  // Only the consumer's clock dates a heartbeat that was there at the start; a wrong clock, or a future time, gives no
  // date.
  const heard = sighting.arrived || wasDrifting ? sighting.at : Math.min(sent, sighting.at);
  const until = heard + allowance;
  // Wire times have whole seconds, rounded down.
  if (now > until) {
    return {
      health: 'silent',
      condition: no(
        conditionReasons.heartbeatTimeout,
        'Error',
        `The konnector has not reported since ${lastHeartbeatTime}, for more than twice the time that it said. The consumer has to see whether it runs and reaches this cluster; its objects stay as they are.`,
      ),
    };
  }
  if (sighting.arrived ? drifts(sent - sighting.at, allowance, wasDrifting) : wasDrifting) {
    return {
      health: 'drifting',
      until,
      condition: no(
        conditionReasons.heartbeatTimeDrift,
        'Warning',
        'The clocks of the consumer and of this cluster differ. The consumer has to set its clock; until then times that it reports are wrong.',
      ),
    };
  }
  return { health: 'healthy', until, condition: trueCondition(conditionTypes.healthy) };
}

/**
 * `ahead`: the heartbeat's time minus its arrival. One that is behind may have been late; one that is behind by more
 * than the silence limit cannot have been.
 */
function drifts(ahead: number, allowance: number, wasDrifting: boolean): boolean {
  return ahead > (wasDrifting ? driftToleranceMs / 2 : driftToleranceMs) || -ahead > allowance;
}

function no(reason: string, severity: 'Error' | 'Warning' | 'Info', message: string): NewCondition {
  return falseCondition(conditionTypes.healthy, reason, severity, message);
}
