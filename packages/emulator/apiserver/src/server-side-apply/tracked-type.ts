import { equal, isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { ownValue, withKey } from './entries.js';
import type { FieldSet } from './field-set.js';
import type { FieldType, MapField } from './field-type.js';

/** How the fields of one resource, at one of its endpoints, are tracked. */
export interface TrackedType {
  /** The type in one of the served or stored versions; `undefined` for a version that there is not (any more). */
  typeOf(apiVersion: string): FieldType | undefined;
  /** An object in another version. Default: only `apiVersion` changes. */
  convert?(object: JsonObject, apiVersion: string): JsonObject;
  /**
   * What becomes of what managers own in a version that there is not any more. `forget` (default), as for built-in kinds: it is nobody's. `refuse`, as
   * for custom resources: nothing can be applied, and any other write leaves the object without managedFields.
   */
  readonly goneVersions?: 'forget' | 'refuse';
  /** Fields that the endpoint resets, and nobody owns through it: `status` at the main endpoint of a resource with a status subresource. */
  resetFields?(apiVersion: string): FieldSet | undefined;
}

/** A value and what it is in a certain version. */
export interface TypedObject {
  readonly value: JsonObject;
  readonly type: FieldType;
  readonly apiVersion: string;
}

/** An object as one of a version. `undefined`: there is no such version. */
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

/** What a type says that Go's types always hold, filled in where the object does not say it. */
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

/** The few fields of a type that hold something where nothing is written, or have one below them that does. */
function fieldsWithZeros(type: FieldType): readonly ZeroField[] {
  let fields = withZero.get(type);
  if (fields === undefined) {
    // What refers to itself holds nothing by that.
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
