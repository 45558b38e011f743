import {
  type APIServiceExportStatus,
  conditionTypes,
  type Instant,
  removeCondition,
  setCondition,
} from '@hawser/kube-bind';
import { type Hold, type HoldReason, holdReasons } from './hold.js';

/** What the condition `SchemaUpdateHeld` says; undefined where nothing is held. */
export function heldConditionOf(
  holds: readonly Hold[],
): { readonly reason: HoldReason; readonly message: string } | undefined {
  const [first, ...others] = holds.toSorted((a, b) => holdReasons.indexOf(a.reason) - holdReasons.indexOf(b.reason));
  return first === undefined
    ? undefined
    : { reason: first.reason, message: [first, ...others].map(({ message }) => message).join(' ') };
}

/** Whether such a message has something about a schema. A blank, or nothing, stands before each name: the name of another may end in this one. */
export function isAbout(message: string | undefined, boundSchema: string): boolean {
  return ` ${message ?? ''}`.includes(` ${boundSchema}:`);
}

/** The status with the condition in it, or without it: False would count in what konnectors sum up. Every other condition is somebody else's. */
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
