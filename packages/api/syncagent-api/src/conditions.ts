import type { Condition, ConditionStatus } from './kinds/status.js';

/** Types of conditions on a PublishedResource. */
export const conditionTypes = {
  /** The sum of the others. */
  ready: 'Ready',
  /** An agent can work with the spec. */
  valid: 'Valid',
  /** The schema is in kcp and matches the CRD and the spec. */
  schemaPublished: 'SchemaPublished',
  /** The schema is in the APIExport, with the claims that it needs. */
  exported: 'Exported',
  /** Objects are in sync. */
  objectsInSync: 'ObjectsInSync',
} as const;

export interface NewCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number | undefined;
}

/**
 * In UTF-16 units. A longer message is cut and ends in `…`: a server's text may quote an object, and the whole status
 * must fit into etcd.
 */
const MAX_MESSAGE = 4_096;

/** The condition of one type. */
export function getCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Sets the condition `next`. Its time moves only with its status. Returns `conditions` itself if nothing changes, which
 * saves the write. A message has 4096 characters at most. `nowMs`: milliseconds since 1970.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: NewCondition,
  nowMs: number,
): readonly Condition[] {
  const present = getCondition(conditions, next.type);
  const { type, status, reason, observedGeneration } = next;
  const message = bounded(next.message);
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

/** `conditions` without one type; `conditions` itself if there is no such condition. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const all = conditions ?? [];
  return getCondition(all, type) === undefined ? all : all.filter((condition) => condition.type !== type);
}

function bounded(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1).toWellFormed()}…` : message;
}

/** As Kubernetes writes times: whole seconds. */
function formatSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
