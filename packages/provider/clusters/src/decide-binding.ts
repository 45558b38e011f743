import type { Decision } from '@hawser/controller';
import { type ClusterBinding, type Conditions, type NewCondition, setCondition, setSummary } from '@hawser/kube-bind';
import { decideHealth, type Health } from './decide.js';
import type { Seen } from './sighting.js';

export interface ObservedBinding {
  /** Undefined if it is gone, or going. */
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
  /** Undefined: there is nothing whose health could be told. */
  readonly health: Health | undefined;
}

/** Whether the status of a ClusterBinding says how its consumer stands. Pure. */
export function decideBinding({ seen, now }: ObservedBinding): BindingDecision {
  if (seen === undefined) return { actions: [], health: undefined };
  const { binding, sighting } = seen;
  const { health, condition, until } = decideHealth(binding, sighting, now);
  const isSaid = withHealth(binding, condition, now) === binding.status?.conditions;
  return {
    health,
    actions: isSaid ? [] : [{ type: 'report', binding, health, condition }],
    // One more millisecond: at the very end the time is not up yet.
    requeueAfterMs: until === undefined ? undefined : Math.max(0, until - now) + 1,
  };
}

/** The conditions with `Healthy` and `Ready` in them; the same list if they say so already. */
export function withHealth(
  object: { readonly status?: { readonly conditions?: Conditions | undefined } | undefined },
  condition: NewCondition,
  now: number,
): Conditions {
  return setSummary(setCondition(object.status?.conditions, condition, now), now);
}
