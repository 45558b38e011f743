import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { ownValue, withKey, without } from './entries.js';
import type { ManagedFieldsEntry } from './managed-fields.js';

/** One field of an object's metadata. */
export function metadataOf(object: JsonObject | undefined, name: string): JsonValue | undefined {
  const metadata = ownValue(object, 'metadata');
  return isObject(metadata) ? ownValue(metadata, name) : undefined;
}

export function textOf(object: JsonObject | undefined, name: string): string {
  const value = ownValue(object, name);
  return typeof value === 'string' ? value : '';
}

/** The object to compare: without managedFields. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = ownValue(object, 'metadata');
  return isObject(metadata) && Object.hasOwn(metadata, 'managedFields')
    ? withKey(object, 'metadata', without(metadata, 'managedFields'))
    : object;
}

export function withManagedFields(object: JsonObject, entries: readonly ManagedFieldsEntry[] | undefined): JsonObject {
  if (entries === undefined) return withoutManagedFields(object);
  const metadata = ownValue(object, 'metadata');
  return withKey(object, 'metadata', withKey(isObject(metadata) ? metadata : {}, 'managedFields', entries));
}
