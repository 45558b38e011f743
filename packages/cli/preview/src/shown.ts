import type { Resource, UnstructuredObject } from '@hawser/client';
import { type JsonObject, type JsonValue, stringify } from '@hawser/json';

import type { PlannedWrite } from './planned-write.js';

/** A value that a write changes. */
export interface Change {
  /** Keys from the root, joined by dots. */
  readonly path: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** Fields that every write changes, and that interest no reader. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'generation',
  'selfLink',
]);

/** The changes of a write, value by value; a list counts as one value. Empty if unknown, and for Secrets. */
export function changesOf({ before, after, resource, verb }: PlannedWrite<unknown>): readonly Change[] {
  if (isSecret(resource) || verb === 'delete') return [];
  const from = presentable(before);
  const to = presentable(after);
  return after === undefined ? [] : compare(from, to, []);
}

/** An object in a form for people; undefined for Secrets. */
export function presentable(object: UnstructuredObject | undefined): JsonObject {
  if (object === undefined) return {};
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !HOUSEKEEPING.has(key)));
  return { ...(object as unknown as JsonObject), metadata: metadata };
}

export function isSecret({ group, resource }: Resource): boolean {
  return group === '' && resource === 'secrets';
}

function compare(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  at: readonly string[],
): readonly Change[] {
  if (isMapping(before) && isMapping(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      compare(before[key], after[key], [...at, key.includes('.') || key.includes('/') ? `"${key}"` : key]),
    );
  }
  // Shows a new mapping value by value, too.
  if (before === undefined && isMapping(after) && Object.keys(after).length > 0) return compare({}, after, at);
  if (after === undefined && isMapping(before) && Object.keys(before).length > 0) return compare(before, {}, at);
  return sameText(before) === sameText(after) ? [] : [{ path: at.join('.'), before, after }];
}

function isMapping(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sameText(value: JsonValue | undefined): string {
  return value === undefined ? '' : oneLine(value);
}

/** A value on one line, as JSON. */
export function oneLine(value: JsonValue): string {
  return stringify(value);
}
