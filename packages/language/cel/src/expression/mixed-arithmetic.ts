import { fn, type Library } from '../check/declarations.js';
import { type Type, types } from '../check/type.js';
import { noSuchOverload } from '../values/error.js';
import { Uint, type Value } from '../values/value.js';

const { int, uint, double } = types;
const mixed: readonly (readonly [Type, Type])[] = [int, uint].flatMap((integer) => [
  [integer, double] as const,
  [double, integer] as const,
]);

const toDouble = (value: Value): number => {
  if (typeof value === 'number') {
    return value;
  }
  if (typeof value !== 'bigint' && !(value instanceof Uint)) {
    throw noSuchOverload();
  }
  return Number(value instanceof Uint ? value.value : value);
};

const operator = (name: string, call: (left: number, right: number) => number): Library =>
  mixed.map(([left, right]) =>
    fn(name, [left, right], double, (first = null, second = null) => call(toDouble(first), toDouble(second))),
  );

/**
 * Arithmetic between an integer and a double, which CEL lacks: documents do not distinguish them. The result is a
 * double.
 */
export const mixedArithmetic: Library = [
  ...operator('_+_', (left, right) => left + right),
  ...operator('_-_', (left, right) => left - right),
  ...operator('_*_', (left, right) => left * right),
  ...operator('_/_', (left, right) => left / right),
];
