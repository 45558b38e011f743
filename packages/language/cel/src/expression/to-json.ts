import type { JsonValue } from '@hawser/json';
import { CelError } from '../values/error.js';
import { Duration, Timestamp } from '../values/time.js';
import { typeName } from '../values/type-name.js';
import { isList, isMap, Optional, Uint, type Value } from '../values/value.js';

/**
 * An expression's result as JSON. Integers are exact, bytes are base64, times are texts as from `string()`, map keys
 * are texts, an optional is its value or null.
 *
 * @throws {CelError} for values outside JSON: types, library values, non-finite numbers, invalid keys
 */
export const toJson = (value: Value): JsonValue => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') {
    return value;
  }
  if (typeof value === 'number') {
    return fromDouble(value);
  }
  if (typeof value === 'bigint') {
    return fromInteger(value);
  }
  if (value instanceof Uint) {
    return fromInteger(value.value);
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  if (value instanceof Timestamp || value instanceof Duration) {
    return value.toString();
  }
  if (value instanceof Optional) {
    return value.value === undefined ? null : toJson(value.value);
  }
  if (isList(value)) {
    return Array.from(value, toJson);
  }
  if (isMap(value)) {
    return Object.fromEntries(Array.from(value.keys(), (key) => [keyText(key), toJson(value.find(key) ?? null)]));
  }
  throw new CelError(`a value of type ${typeName(value)} cannot be written as JSON`);
};

const fromDouble = (value: number): number => {
  if (!Number.isFinite(value)) {
    throw new CelError('a number that is not finite cannot be written as JSON');
  }
  return value === 0 ? 0 : value;
};

const fromInteger = (value: bigint): number | bigint => {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
};

const keyText = (key: Value): string => {
  if (typeof key === 'string') {
    return key;
  }
  if (typeof key === 'boolean' || typeof key === 'bigint') {
    return String(key);
  }
  if (key instanceof Uint) {
    return String(key.value);
  }
  throw new CelError(`a key of type ${typeName(key)} cannot be written as JSON`);
};
