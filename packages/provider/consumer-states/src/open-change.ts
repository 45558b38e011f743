import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type Condition,
  conditionTypes,
  getCondition,
  parseTime,
} from '@hawser/kube-bind';
import type { BindingFacts } from './binding-facts.js';
import { sanitizeText } from './sanitize-text.js';

/**
 * A change of the consumer or the provider that has not reached the other side, by the conditions of the binding's
 * objects.
 */
export interface OpenChange {
  readonly binding: string;
  /** RFC 3339. */
  readonly since: string;
  readonly reason: string;
  readonly message: string | undefined;
}

/** With this `status`, these conditions mean that a change has not arrived. */
const openWhile: readonly (readonly [type: string, status: Condition['status']])[] = [
  [conditionTypes.connected, 'False'],
  [conditionTypes.consumerInSync, 'False'],
  [conditionTypes.providerInSync, 'False'],
  [conditionTypes.rightsGranted, 'False'],
  [conditionTypes.schemaUpdateHeld, 'True'],
];

/** Tolerance for clock differences. */
const GRACE_MS = 30_000;

/** The oldest open change of a consumer. Pure. */
export function oldestOpenChange(bindings: readonly BindingFacts[], now: number): OpenChange | undefined {
  const [first] = bindings
    .flatMap((facts) => openChanges(facts, now))
    .sort((a, b) => (parseTime(a.since) ?? 0) - (parseTime(b.since) ?? 0));
  return first;
}

/** Copies that stay although the export has ended and its policy is to delete them. Pure. */
export function heldDeletions(bindings: readonly BindingFacts[], now: number): readonly OpenChange[] {
  return bindings.flatMap(({ name, export: granted }) => {
    const held = getCondition(granted?.status?.conditions, conditionTypes.deletionsHeld);
    return granted === undefined || held?.status !== 'True' ? [] : [changeOf(name, granted, held, now)];
  });
}

function openChanges({ name, request, export: granted }: BindingFacts, now: number): readonly OpenChange[] {
  if (granted === undefined) return request === undefined ? [] : [waitingRequest(name, request)];
  const { conditions } = granted.status ?? {};
  if (getCondition(conditions, conditionTypes.unbound)?.status === 'True') return [];
  return openWhile.flatMap(([type, status]) => {
    const condition = getCondition(conditions, type);
    // Not started yet: no problem.
    if (condition?.status !== status || condition.severity === 'Info') return [];
    return [changeOf(name, granted, condition, now)];
  });
}

function waitingRequest(binding: string, { metadata, status }: APIServiceExportRequest): OpenChange {
  const condition = status?.conditions?.find(({ type, status: value }) => type !== 'Ready' && value === 'False');
  return {
    binding,
    since: metadata.creationTimestamp ?? '',
    reason: condition?.reason === undefined ? 'Pending' : sanitizeText(condition.reason, 128),
    message: condition?.message === undefined ? undefined : sanitizeText(condition.message),
  };
}

/**
 * Reads a change from a condition. A consumer writes some conditions: one with an impossible time counts from the
 * creation, so it never looks younger than it is.
 */
function changeOf(binding: string, { metadata }: APIServiceExport, condition: Condition, now: number): OpenChange {
  const { type, reason, message, lastTransitionTime } = condition;
  const at = parseTime(lastTransitionTime);
  const isTrue = at !== undefined && at <= now + GRACE_MS;
  return {
    binding,
    since: isTrue ? lastTransitionTime : (metadata.creationTimestamp ?? ''),
    reason: sanitizeText(reason ?? type, 128),
    message: message === undefined ? undefined : sanitizeText(message),
  };
}
