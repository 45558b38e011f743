import { equal, isObject, type JsonObject } from '@hawser/json';
import { isList, without } from './entries.js';
import { metadataOf, withManagedFields, withoutManagedFields } from './metadata.js';
import type { ManagedFieldsEntry } from './managed-fields.js';

/**
 * `updated` with the time stamps of `live`, if only time stamps in managedFields differ: a write without a change stays
 * one (apiserver `fieldmanager.IgnoreManagedFieldsTimestampsTransformer`). The last step before two objects are
 * compared.
 */
export function keepTimes(live: JsonObject, updated: JsonObject): JsonObject {
  const before = metadataOf(live, 'managedFields');
  const after = metadataOf(updated, 'managedFields');
  if (!isList(before) || !isList(after) || after.length === 0 || before.length !== after.length) return updated;
  const sameOwners = before.every((entry, index) => equal(withoutTime(entry), withoutTime(after[index])));
  if (!sameOwners || !equal(withoutManagedFields(live), withoutManagedFields(updated))) return updated;
  return withManagedFields(updated, before as readonly ManagedFieldsEntry[]);
}

function withoutTime(entry: unknown): unknown {
  return isObject(entry) ? without(entry, 'time') : entry;
}
