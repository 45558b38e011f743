import { CelError, noSuchOverload } from './error.js';
import { takeSteps } from './steps.js';
import { Duration, Timestamp } from './time.js';
import { isList, isMap, Optional, TypeValue, Uint, type Value } from './value.js';

/** Bytes are compared in bulk. */
const CHARACTERS_PER_STEP = 100;

const isNumeric = (value: Value): value is bigint | number | Uint =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

/** A number for JavaScript's comparison: exact, of any type. */
export const magnitude = (value: bigint | number | Uint): bigint | number =>
  value instanceof Uint ? value.value : value;

/**
 * `a == b`. Numbers are equal across types; other values of different types are unequal, or cannot be compared.
 *
 * @throws {CelError} where an API server reports an error: a list or map of the object compared with anything else
 */
export const equal = (a: Value, b: Value): boolean => {
  takeSteps(typeof a === 'string' ? 1 + a.length / CHARACTERS_PER_STEP : 1);
  if (a === null || b === null) {
    return a === b;
  }
  if (isNumeric(a)) {
    return isNumeric(b) && numbersEqual(magnitude(a), magnitude(b));
  }
  if (typeof a !== 'object') {
    return a === b;
  }
  if (isList(a) || isMap(a)) {
    return a.equals(b);
  }
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (a instanceof Timestamp) {
    return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  }
  if (a instanceof Duration) {
    return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  }
  if (a instanceof Optional) {
    return (
      b instanceof Optional &&
      (a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value))
    );
  }
  return a instanceof TypeValue ? b instanceof TypeValue && a.typeName === b.typeName : a.equals(b);
};

const numbersEqual = (a: bigint | number, b: bigint | number): boolean =>
  typeof a === typeof b ? a === b : Number(a) === Number(b);

/**
 * Compares two values: negative, zero or positive.
 *
 * @throws {CelError} for values without an order, and for NaN
 */
export const compare = (a: Value, b: Value): number => {
  takeSteps(typeof a === 'string' && typeof b === 'string' ? 1 + (a.length + b.length) / CHARACTERS_PER_STEP : 1);
  if (isNumeric(a) && isNumeric(b)) {
    return compareNumbers(magnitude(a), magnitude(b));
  }
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') {
    return Number(a) - Number(b);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return Buffer.compare(a, b);
  }
  if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration)) {
    return a.nanoseconds < b.nanoseconds ? -1 : Number(a.nanoseconds > b.nanoseconds);
  }
  throw noSuchOverload();
};

/** An integer compared with a double becomes a double: large ones lose their last digits, as in the original. */
const compareNumbers = (a: bigint | number, b: bigint | number): number => {
  if (Number.isNaN(a) || Number.isNaN(b)) {
    throw new CelError('NaN values cannot be ordered');
  }
  const [left, right] = typeof a === typeof b ? [a, b] : [Number(a), Number(b)];
  return left < right ? -1 : Number(left > right);
};
