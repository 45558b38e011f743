import { noSuchOverload } from '../values/error.js';
import { isList, type ListValue, type Value } from '../values/value.js';

/** The checker guarantees argument types; these functions narrow them for the compiler. */
export const text = (value: Value | undefined): string => {
  if (typeof value !== 'string') {
    throw noSuchOverload();
  }
  return value;
};

export const integer = (value: Value | undefined): bigint => {
  if (typeof value !== 'bigint') {
    throw noSuchOverload();
  }
  return value;
};

export const bool = (value: Value | undefined): boolean => {
  if (typeof value !== 'boolean') {
    throw noSuchOverload();
  }
  return value;
};

export const items = (value: Value | undefined): ListValue => {
  if (value === undefined || !isList(value)) {
    throw noSuchOverload();
  }
  return value;
};

type Class<T> = abstract new (...args: never[]) => T;

export const instance = <T>(type: Class<T>, value: Value | undefined): T => {
  if (!(value instanceof type)) {
    throw noSuchOverload();
  }
  return value;
};
