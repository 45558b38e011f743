import type { Decision } from '@hawser/controller';
import {
  type Cluster,
  conditionTypes,
  falseCondition,
  getCondition,
  type NewCondition,
  trueCondition,
} from '@hawser/kube-bind';
import type { EventMessage } from '@hawser/telemetry';
import { withHealth } from './decide-binding.js';

/** Recorded once per episode. */
export const otherBackendEvent: EventMessage = {
  type: 'Warning',
  reason: 'OtherBackendWrites',
  message:
    "A Go backend of kube-bind works on this cluster too: what one of them decides the other undoes, and it gives consumers rights over each other's objects. The provider has to scale it down to zero.",
};

export interface ObservedBackend {
  /** Undefined: gone. */
  readonly cluster: Cluster | undefined;
  /** When another backend was last seen to write, in milliseconds since the epoch; undefined: not in this episode. */
  readonly seenAt: number | undefined;
  /** Start of the observation. */
  readonly startedAt: number;
  readonly quietMs: number;
  readonly now: number;
}

export interface BackendAction {
  readonly type: 'report';
  readonly cluster: Cluster;
  readonly condition: NewCondition;
}

export interface BackendDecision extends Decision<BackendAction> {
  /** Long enough without a write: the other backend counts as gone. */
  readonly isQuiet: boolean;
}

/** Decides whether the Cluster must report another backend. Pure. */
export function decideOtherBackend({ cluster, seenAt, startedAt, quietMs, now }: ObservedBackend): BackendDecision {
  if (cluster === undefined) return { actions: [], isQuiet: false };
  const conditions = cluster.status?.conditions;
  if (seenAt === undefined && getCondition(conditions, conditionTypes.healthy)?.reason !== otherBackendEvent.reason)
    return { actions: [], isQuiet: false };
  const quietAt = (seenAt ?? startedAt) + quietMs;
  const isQuiet = now >= quietAt;
  const condition = isQuiet ? trueCondition(conditionTypes.healthy) : otherBackendWrites;
  return {
    isQuiet,
    actions: withHealth(cluster, condition, now) === conditions ? [] : [{ type: 'report', cluster, condition }],
    requeueAfterMs: isQuiet ? undefined : quietAt - now + 1,
  };
}

const otherBackendWrites = falseCondition(
  conditionTypes.healthy,
  otherBackendEvent.reason,
  'Warning',
  otherBackendEvent.message,
);
