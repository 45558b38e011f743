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

/** How a consumer stands. Closed. */
export type Health = 'healthy' | 'pending' | 'silent' | 'drifting';

export interface HealthDecision {
  readonly health: Health;
  readonly condition: NewCondition;
  /** When this has to be decided again although nothing has happened, milliseconds since the epoch. */
  readonly until?: number | undefined;
}

/** The consumer says how often it means to report. What is beyond these bounds would make health meaningless, or us busy. */
export const intervalBoundsMs = { least: 5_000, most: 86_400_000 } as const;

/** How far ahead of ours a consumer's clock may be; once it was beyond that, it has to come back to half of it. */
export const driftToleranceMs = 10_000;

/**
 * The condition `Healthy` (spec/kube-bind-backend.md §10.2, §17.2). Pure. Its words depend on the state alone: a heartbeat that arrives in time changes
 * nothing in them, and neither does time that passes in silence.
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
  const said = heartbeatInterval === undefined ? undefined : parseDuration(heartbeatInterval);
  if (said === undefined || said <= 0) {
    return {
      health: 'pending',
      condition: no(
        conditionReasons.heartbeatIntervalMissing,
        'Info',
        'The konnector does not say how often it reports, so Hawser cannot tell whether it still does. The consumer has to update it.',
      ),
    };
  }
  const allowance = 2 * Math.min(Math.max(said, intervalBoundsMs.least), intervalBoundsMs.most);
  const wasDrifting =
    getCondition(binding.status?.conditions, conditionTypes.healthy)?.reason === conditionReasons.heartbeatTimeDrift;
  // Of a heartbeat that stood there already only the consumer's clock tells when it was sent; of one known to be wrong, and of the future, it tells nothing.
  const heard = sighting.arrived || wasDrifting ? sighting.at : Math.min(sent, sighting.at);
  const until = heard + allowance;
  // A time of the wire has whole seconds: it is cut off, never rounded up.
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

/** `ahead`: how far the heartbeat is ahead of its arrival. One that is behind may have been late; one that is behind by more than counts as silence cannot have been. */
function drifts(ahead: number, allowance: number, wasDrifting: boolean): boolean {
  return ahead > (wasDrifting ? driftToleranceMs / 2 : driftToleranceMs) || -ahead > allowance;
}

function no(reason: string, severity: 'Error' | 'Warning' | 'Info', message: string): NewCondition {
  return falseCondition(conditionTypes.healthy, reason, severity, message);
}
