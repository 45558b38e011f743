import type { Decision } from '@hawser/controller';
import { type ClusterBinding, type Conditions, type NewCondition, setCondition, setSummary } from '@hawser/kube-bind';
import { decideHealth, type Health } from './decide.js';
import type { Seen } from './sighting.js';

export interface ObservedBinding {
  /** Undefined: gone or terminating. */
  readonly seen: Seen | undefined;
  readonly now: number;
}

export interface HealthAction {
  readonly type: 'report';
  readonly binding: ClusterBinding;
  readonly health: Health;
  readonly condition: NewCondition;
}

export interface BindingDecision extends Decision<HealthAction> {
  /** Undefined: there is no health to report. */
  readonly health: Health | undefined;
}

/** Decides whether the status of a ClusterBinding must change to show its consumer's health. Pure. */
export function decideBinding({ seen, now }: ObservedBinding): BindingDecision {
  if (seen === undefined) return { actions: [], health: undefined };
  const { binding, sighting } = seen;
  const { health, condition, until } = decideHealth(binding, sighting, now);
  const isReported = withHealth(binding, condition, now) === binding.status?.conditions;
  return {
    health,
    actions: isReported ? [] : [{ type: 'report', binding, health, condition }],
    // One more millisecond: at the very end the time is not up yet.
    requeueAfterMs: until === undefined ? undefined : Math.max(0, until - now) + 1,
  };
}

/** The conditions with `Healthy` and `Ready`; the same list if nothing changes. */
export function withHealth(
  object: { readonly status?: { readonly conditions?: Conditions | undefined } | undefined },
  condition: NewCondition,
  now: number,
): Conditions {
  return setSummary(setCondition(object.status?.conditions, condition, now), now);
}
