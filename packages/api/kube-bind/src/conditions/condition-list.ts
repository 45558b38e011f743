import { compareBytes } from '@hawser/json';
import type { Condition, ConditionSeverity } from '../kinds/condition.js';
import { formatTime, type Instant } from '../time.js';
import { conditionTypes } from './types.js';

/** A condition to set. The time is optional and counts only for a new type (spec/kube-bind-api.md §9.3). */
export type NewCondition = Omit<Condition, 'lastTransitionTime'> & { readonly lastTransitionTime?: string | undefined };

/** Conditions in a status. */
export type Conditions = readonly Condition[];

/** The order of conditions in a list: `Ready` first, then bytewise by type. */
export function isBefore(a: { readonly type: string }, b: { readonly type: string }): boolean {
  return (a.type === conditionTypes.ready || compareBytes(a.type, b.type) < 0) && b.type !== conditionTypes.ready;
}

/** Byte limit of a message. The text may come from another cluster; the limit keeps the object small. */
export const MAX_MESSAGE_BYTES = 4_096;

/** Whether two written conditions differ only in their time. */
export function hasSameState(a: NewCondition, b: NewCondition): boolean {
  return (
    a.type === b.type &&
    a.status === b.status &&
    (a.reason ?? '') === (b.reason ?? '') &&
    (a.severity ?? '') === (b.severity ?? '') &&
    bounded(a.message ?? '') === bounded(b.message ?? '')
  );
}

/** The condition of `type`. */
export function getCondition(conditions: Conditions | undefined, type: string): Condition | undefined {
  return listed(conditions).find((condition) => condition.type === type);
}

export function hasCondition(conditions: Conditions | undefined, type: string): boolean {
  return getCondition(conditions, type) !== undefined;
}

export function isConditionTrue(conditions: Conditions | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

export function isConditionFalse(conditions: Conditions | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'False';
}

/** Whether the condition is Unknown or absent. */
export function isConditionUnknown(conditions: Conditions | undefined, type: string): boolean {
  const condition = getCondition(conditions, type);
  return condition === undefined || condition.status === 'Unknown';
}

export function trueCondition(type: string): NewCondition {
  return { type, status: 'True' };
}

/** A False condition. An empty severity keeps it out of every summary that has another condition to go by. */
export function falseCondition(
  type: string,
  reason: string,
  severity: ConditionSeverity | '',
  message: string,
): NewCondition {
  return { type, status: 'False', severity, reason, message };
}

export function unknownCondition(type: string, reason: string, message: string): NewCondition {
  return { type, status: 'Unknown', reason, message };
}

/**
 * Sets `condition` and sorts. The same state keeps its entry and time. Another state takes the time `now`, whatever
 * time the new condition carries. A new type keeps its own time, else takes `now`. A longer message is cut to {@link
 * MAX_MESSAGE_BYTES} and ends in `…`. Returns the same list if nothing changes.
 */
export function setCondition(
  conditions: Conditions | undefined,
  condition: NewCondition | undefined,
  now: Instant,
): Conditions {
  const current = listed(conditions);
  if (condition === undefined) return current;
  const existing = getCondition(current, condition.type);
  if (existing !== undefined && hasSameState(existing, condition)) return sorted(current);
  const time =
    existing === undefined && condition.lastTransitionTime !== undefined
      ? condition.lastTransitionTime
      : formatTime(now);
  const entry = withTime(condition, time);
  return sorted(
    existing === undefined ? [...current, entry] : current.map((other) => (other === existing ? entry : other)),
  );
}

export function markTrue(conditions: Conditions | undefined, type: string, now: Instant): Conditions {
  return setCondition(conditions, trueCondition(type), now);
}

export function markFalse(
  conditions: Conditions | undefined,
  type: string,
  reason: string,
  severity: ConditionSeverity | '',
  message: string,
  now: Instant,
): Conditions {
  return setCondition(conditions, falseCondition(type, reason, severity, message), now);
}

export function markUnknown(
  conditions: Conditions | undefined,
  type: string,
  reason: string,
  message: string,
  now: Instant,
): Conditions {
  return setCondition(conditions, unknownCondition(type, reason, message), now);
}

/** `conditions` without `type`. Returns the same list if there is no such condition. */
export function removeCondition(conditions: Conditions | undefined, type: string): Conditions {
  const current = listed(conditions);
  return hasCondition(current, type) ? current.filter((condition) => condition.type !== type) : current;
}

/**
 * Drops entries that are not conditions, and anything but a list: peers write conditions too. Returns the same list if
 * all are valid.
 */
export function listed(conditions: Conditions | undefined): Conditions {
  const found: unknown = conditions;
  if (!Array.isArray(found)) return [];
  return found.every(isCondition) ? found : found.filter(isCondition);
}

function isCondition(value: unknown): value is Condition {
  if (typeof value !== 'object' || value === null) return false;
  const { type, status, reason = '', message = '', severity = '' } = value as Partial<Record<string, unknown>>;
  return (
    typeof type === 'string' &&
    typeof status === 'string' &&
    typeof reason === 'string' &&
    typeof message === 'string' &&
    typeof severity === 'string'
  );
}

/** The fields in the order of the wire, empty ones left out. */
function withTime(condition: NewCondition, lastTransitionTime: string): Condition {
  const { type, status, severity, reason, message } = condition;
  return {
    type,
    status,
    ...(severity === undefined || severity === '' ? {} : { severity }),
    lastTransitionTime,
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(message === undefined || message === '' ? {} : { message: bounded(message) }),
  };
}

function bounded(message: string): string {
  // No UTF-16 unit takes more than three bytes.
  if (message.length * 3 <= MAX_MESSAGE_BYTES || Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) return message;
  const bytes = Buffer.from(message.slice(0, MAX_MESSAGE_BYTES));
  let end = MAX_MESSAGE_BYTES - Buffer.byteLength('…');
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

function sorted(conditions: Conditions): Conditions {
  const inOrder = conditions.every((condition, index) => {
    const next = conditions[index + 1];
    return next === undefined || !isBefore(next, condition);
  });
  if (inOrder) return conditions;
  return [...conditions].sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
}
