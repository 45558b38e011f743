import { fn, type Library, method } from '../check/declarations.js';
import { opaque, types } from '../check/type.js';
import { CelError, noSuchOverload } from '../values/error.js';
import { Quantity } from '../values/quantity.js';
import type { Value } from '../values/value.js';
import { integer, text } from './arguments.js';

const quantityOf = (value: Value | undefined): Quantity => {
  if (!(value instanceof Quantity)) {
    throw noSuchOverload();
  }
  return value;
};

const isQuantity = (value: string): boolean => {
  try {
    Quantity.parse(value);
    return true;
  } catch {
    return false;
  }
};

const asInteger = (quantity: Quantity): bigint => {
  if (quantity.integer === undefined) {
    throw new CelError('cannot convert value to integer');
  }
  return quantity.integer;
};

const type = opaque('kubernetes.Quantity');
const { bool, double, int, string } = types;

/** Amounts with units (`kubernetes.quantity`). */
export const quantity: Library = [
  fn('quantity', [string], type, (value) => Quantity.parse(text(value))),
  fn('isQuantity', [string], bool, (value) => isQuantity(text(value))),
  fn('sign', [type], int, (value) => quantityOf(value).sign),
  method('isGreaterThan', [type, type], bool, (a, b) => quantityOf(a).compare(quantityOf(b)) === 1),
  method('isLessThan', [type, type], bool, (a, b) => quantityOf(a).compare(quantityOf(b)) === -1),
  method('compareTo', [type, type], int, (a, b) => BigInt(quantityOf(a).compare(quantityOf(b)))),
  method('asApproximateFloat', [type], double, (value) => quantityOf(value).approximate),
  method('asInteger', [type], int, (value) => asInteger(quantityOf(value))),
  method('isInteger', [type], bool, (value) => quantityOf(value).integer !== undefined),
  method('add', [type, type], type, (a, b) => quantityOf(a).plus(quantityOf(b))),
  method('add', [type, int], type, (a, b) => quantityOf(a).plus(Quantity.ofInteger(integer(b)))),
  method('sub', [type, type], type, (a, b) => quantityOf(a).minus(quantityOf(b))),
  method('sub', [type, int], type, (a, b) => quantityOf(a).minus(Quantity.ofInteger(integer(b)))),
];
