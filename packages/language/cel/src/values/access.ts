import { describe } from './describe.js';
import { CelError } from './error.js';
import { formatG } from './number-text.js';
import { isList, isMap, type ListValue, Optional, Uint, type Value } from './value.js';

const indexOf = (key: Value): number => {
  if (typeof key === 'bigint') {
    return Number(key);
  }
  if (key instanceof Uint) {
    return Number(key.value);
  }
  if (typeof key === 'number') {
    if (Number.isInteger(key)) {
      return key;
    }
    throw new CelError(`unsupported index value ${formatG(key)} in list`);
  }
  throw new CelError(`unsupported index type '${typeof key}' in list`);
};

const elementOf = (values: ListValue, key: Value): Value | undefined => {
  const index = indexOf(key);
  return index < 0 || index >= values.size ? undefined : values.at(index);
};

const lookUp = (operand: Value, key: Value): Value | undefined => {
  if (isMap(operand)) {
    return operand.find(key);
  }
  return isList(operand) ? elementOf(operand, key) : undefined;
};

/**
 * `operand.key` or `operand[key]`. On an optional: of its value, with an optional as result.
 *
 * @throws {CelError} if it does not exist
 */
export const access = (operand: Value, key: Value): Value => {
  if (operand instanceof Optional) {
    return operand.value === undefined ? Optional.none : find(operand.value, key);
  }
  const value = lookUp(operand, key);
  if (value === undefined) {
    throw new CelError(isList(operand) ? `index out of bounds: ${describe(key)}` : `no such key: ${describe(key)}`);
  }
  return value;
};

/** `operand.?key` or `operand[?key]`: an optional. */
export const find = (operand: Value, key: Value): Optional => {
  if (operand instanceof Optional) {
    return operand.value === undefined ? Optional.none : find(operand.value, key);
  }
  const value = lookUp(operand, key);
  return value === undefined ? Optional.none : Optional.of(value);
};

/** `has(operand.field)`. */
export const isPresent = (operand: Value, field: string): boolean => find(operand, field).value !== undefined;
