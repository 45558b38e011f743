import { Duration, Timestamp } from './time.js';
import { isList, isMap, Optional, TypeValue, Uint, type Value } from './value.js';

const primitiveNames: Readonly<Record<string, string>> = {
  boolean: 'bool',
  bigint: 'int',
  number: 'double',
  string: 'string',
};

/** Name of a value's type at run time. */
export const typeName = (value: Value): string => {
  if (value === null) {
    return 'null_type';
  }
  if (typeof value !== 'object') {
    return primitiveNames[typeof value] ?? 'unknown';
  }
  if (isList(value)) {
    return 'list';
  }
  if (isMap(value)) {
    return 'map';
  }
  if (value instanceof Uint8Array) {
    return 'bytes';
  }
  if (value instanceof Uint) {
    return 'uint';
  }
  if (value instanceof Timestamp) {
    return 'google.protobuf.Timestamp';
  }
  if (value instanceof Duration) {
    return 'google.protobuf.Duration';
  }
  if (value instanceof Optional) {
    return 'optional_type';
  }
  return value instanceof TypeValue ? 'type' : value.typeName;
};
