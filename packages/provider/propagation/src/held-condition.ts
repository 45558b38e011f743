import {
  type APIServiceExportStatus,
  conditionTypes,
  type Instant,
  removeCondition,
  setCondition,
} from '@hawser/kube-bind';
import { type Hold, type HoldReason, holdReasons } from './hold.js';

/** The condition `SchemaUpdateHeld`; undefined: nothing is held. */
export function heldConditionOf(
  holds: readonly Hold[],
): { readonly reason: HoldReason; readonly message: string } | undefined {
  const [first, ...others] = holds.toSorted((a, b) => holdReasons.indexOf(a.reason) - holdReasons.indexOf(b.reason));
  return first === undefined
    ? undefined
    : { reason: first.reason, message: [first, ...others].map(({ message }) => message).join(' ') };
}

/**
 * Whether such a message mentions a schema. A blank, or nothing, precedes each name: the name of another may end in
 * this one.
 */
export function isAbout(message: string | undefined, boundSchema: string): boolean {
  return ` ${message ?? ''}`.includes(` ${boundSchema}:`);
}

/**
 * The status with or without the condition; never False, which konnectors would count in their summary. Keeps every
 * other condition.
 */
export function withHolds(
  status: APIServiceExportStatus | undefined,
  holds: readonly Hold[],
  now: Instant,
): APIServiceExportStatus {
  const held = heldConditionOf(holds);
  const type = conditionTypes.schemaUpdateHeld;
  if (held === undefined && status?.conditions === undefined) return { ...status };
  const conditions =
    held === undefined
      ? removeCondition(status?.conditions, type)
      : setCondition(status?.conditions, { type, status: 'True', ...held }, now);
  return { ...status, ...(conditions === status?.conditions ? {} : { conditions }) };
}
