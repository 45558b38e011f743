import { formatG } from './number-text.js';
import { Duration, Timestamp } from './time.js';
import { typeName } from './type-name.js';
import { TypeValue, Uint, type Value } from './value.js';

/** A value in error messages: numbers and text unchanged. */
export const describe = (value: Value): string => {
  if (typeof value === 'number') {
    return formatG(value);
  }
  if (typeof value !== 'object' || value === null) {
    return String(value);
  }
  if (value instanceof Uint) {
    return String(value.value);
  }
  if (value instanceof Timestamp || value instanceof Duration) {
    return value.toString();
  }
  return value instanceof TypeValue
    ? value.typeName
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('base64')
      : typeName(value);
};
