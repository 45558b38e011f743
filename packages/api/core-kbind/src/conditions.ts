import { formatTime, type Instant } from '@hawser/kube-bind';
import type { Condition } from './kinds/shared.js';

/** Types of conditions (spec/kbind-v2.md §5.1, §5.2). */
export const conditionTypes = {
  ready: 'Ready',
  /** Connection: its Secret yields a client. */
  secretValid: 'SecretValid',
  /** Connection: the provider is the one it connected to first. */
  connected: 'Connected',
  permissionDenied: 'PermissionDenied',
  /** Connection, Hawser's own: the ClusterBinding of `autoBind` lists every offered API. */
  autoBound: 'AutoBound',
  synced: 'Synced',
  conflicts: 'Conflicts',
} as const;

/** A condition to set. */
export type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;
type Conditions = readonly Condition[];

/** Upper limit of the API server. */
const MAX_MESSAGE_LENGTH = 32_768;

export function getCondition(conditions: Conditions | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: Conditions | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/**
 * Sets `condition`: in place where its type exists, else at the end. Its time moves only with its status, as the peers
 * do it (spec/kbind-v2.md §5). Returns the same list if nothing changes, the generation included.
 */
export function setCondition(
  conditions: Conditions | undefined,
  { type, status, reason, message: words }: NewCondition,
  observedGeneration: number | undefined,
  now: Instant,
): Conditions {
  const current = conditions ?? [];
  const message = words.length <= MAX_MESSAGE_LENGTH ? words : `${words.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
  const before = getCondition(current, type);
  const isSame =
    before?.status === status &&
    before.reason === reason &&
    before.message === message &&
    before.observedGeneration === observedGeneration;
  if (isSame) return current;
  const entry: Condition = {
    type,
    status,
    reason,
    message,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : formatTime(now),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  return before === undefined ? [...current, entry] : current.map((other) => (other === before ? entry : other));
}

/** {@link setCondition} for several conditions in turn. */
export function setConditions(
  conditions: Conditions | undefined,
  all: readonly NewCondition[],
  observedGeneration: number | undefined,
  now: Instant,
): Conditions {
  return all.reduce<Conditions>(
    (list, condition) => setCondition(list, condition, observedGeneration, now),
    conditions ?? [],
  );
}

export function conditionTrue(type: string, reason: string, message = ''): NewCondition {
  return { type, status: 'True', reason, message };
}

export function conditionFalse(type: string, reason: string, message: string): NewCondition {
  return { type, status: 'False', reason, message };
}

export function conditionUnknown(type: string, reason: string, message: string): NewCondition {
  return { type, status: 'Unknown', reason, message };
}
