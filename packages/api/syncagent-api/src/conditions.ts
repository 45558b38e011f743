import type { Condition, ConditionStatus } from './kinds/status.js';

/** Types of conditions on a PublishedResource. */
export const conditionTypes = {
  /** The sum of the others. */
  ready: 'Ready',
  /** The spec is one that an agent can work with. */
  valid: 'Valid',
  /** The schema is in kcp, as the CRD and the spec have it. */
  schemaPublished: 'SchemaPublished',
  /** The schema is in the APIExport, with the claims that it needs. */
  exported: 'Exported',
  /** Objects are in step. */
  objectsInSync: 'ObjectsInSync',
} as const;

export interface NewCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number | undefined;
}

/** The condition of one type. */
export function getCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * `conditions` with `next` in it. The time moves only when the status does; returns `conditions` itself if there is nothing to change, so that nothing
 * need be written. `nowMs`: milliseconds since 1970.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: NewCondition,
  nowMs: number,
): readonly Condition[] {
  const present = getCondition(conditions, next.type);
  const { type, status, reason, message, observedGeneration } = next;
  const same =
    present !== undefined &&
    present.status === status &&
    present.reason === reason &&
    present.message === message &&
    present.observedGeneration === observedGeneration;
  if (same && conditions !== undefined) return conditions;
  const lastTransitionTime = present?.status === status ? present.lastTransitionTime : formatSeconds(nowMs);
  const changed: Condition = {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime,
    reason,
    message,
  };
  if (present === undefined) return [...(conditions ?? []), changed];
  return (conditions ?? []).map((condition) => (condition === present ? changed : condition));
}

/** `conditions` without those of one type; `conditions` itself if there is none. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const all = conditions ?? [];
  return getCondition(all, type) === undefined ? all : all.filter((condition) => condition.type !== type);
}

/** As Kubernetes writes times: whole seconds. */
function formatSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
