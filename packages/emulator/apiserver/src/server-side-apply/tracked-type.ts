import { equal, isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { ownValue, withKey } from './entries.js';
import type { FieldSet } from './field-set.js';
import type { FieldType, MapField } from './field-type.js';

/** Field tracking for one resource at one of its endpoints. */
export interface TrackedType {
  /** The type in a served or stored version; `undefined` for a missing or removed one. */
  typeOf(apiVersion: string): FieldType | undefined;
  /** An object in another version. Default: only `apiVersion` changes. */
  convert?(object: JsonObject, apiVersion: string): JsonObject;
  /**
   * What happens to fields owned in a removed version. `forget` (default), for built-in kinds: they lose their owner.
   * `refuse`, for custom resources: applies fail, and any other write drops the managedFields.
   */
  readonly goneVersions?: 'forget' | 'refuse';
  /**
   * Fields that the endpoint resets and lets no manager own: `status` at the main endpoint of a resource with a status
   * subresource.
   */
  resetFields?(apiVersion: string): FieldSet | undefined;
}

/** A value with its type in a certain version. */
export interface TypedObject {
  readonly value: JsonObject;
  readonly type: FieldType;
  readonly apiVersion: string;
}

/** An object typed in a version. `undefined`: no such version. */
export function typedObject(tracked: TrackedType, value: JsonObject, apiVersion: string): TypedObject | undefined {
  const type = tracked.typeOf(apiVersion);
  return type === undefined ? undefined : { value, type, apiVersion };
}

export function convertTyped(tracked: TrackedType, object: TypedObject, apiVersion: string): TypedObject | undefined {
  if (object.apiVersion === apiVersion) return object;
  const type = tracked.typeOf(apiVersion);
  if (type === undefined) return undefined;
  const convert = tracked.convert?.bind(tracked) ?? ((value: JsonObject) => withKey(value, 'apiVersion', apiVersion));
  return { value: convert(object.value, apiVersion), type, apiVersion };
}

/** Fills in the values that Go's types always hold, if unset. */
export function withZeros(value: JsonValue, type: FieldType): JsonValue {
  if (type.map === undefined || !isObject(value)) return value;
  let result: JsonObject = value;
  for (const { name, type: below, zero } of fieldsWithZeros(type)) {
    const present = ownValue(value, name) ?? zero;
    if (present === undefined) continue;
    const filled = withZeros(present, below);
    if (filled !== ownValue(value, name)) result = withKey(result, name, filled);
  }
  return result;
}

interface ZeroField extends MapField {
  readonly name: string;
}

const withZero = new WeakMap<FieldType, readonly ZeroField[]>();

/** The few fields of a type with such a value, or with one below them. */
function fieldsWithZeros(type: FieldType): readonly ZeroField[] {
  let fields = withZero.get(type);
  if (fields === undefined) {
    // A recursive type holds nothing through itself.
    withZero.set(type, []);
    fields = [...(type.map?.fields ?? [])]
      .map(([name, below]) => ({ name, ...below }))
      .filter(({ zero, type: below }) => zero !== undefined || fieldsWithZeros(below).length > 0);
    withZero.set(type, fields);
  }
  return fields;
}

export function sameValue(a: TypedObject, b: TypedObject): boolean {
  return equal(a.value, b.value);
}
