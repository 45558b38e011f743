import { print } from '../fmt/print.js';
import type { Budget } from '../exec/budget.js';
import { fn, type FunctionMap, variadicFn } from '../template-function.js';
import { float64, type GoNumber, int, int64, maxInt64, minInt64 } from '../values/go-number.js';
import type { GoValue } from '../values/go-value.js';
import { intList, toFloat64, toInt64 } from './convert.js';
import { add, type Decimal, decimalOf, divide, multiply, subtract, toNumber } from './decimal.js';

function range(start: number, stop: number, step: number, budget: Budget): number[] {
  if (stop < start ? step >= 0 : step <= 0) return [];
  const count = Math.ceil((stop - start) / step);
  budget.charge(count * 16);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

function sequence(params: readonly number[], budget: Budget): string {
  const [first = 0, second = 0, third = 0] = params;
  switch (params.length) {
    case 1: {
      const step = first < 1 ? -1 : 1;
      return range(1, first + step, step, budget).join(' ');
    }
    case 2: {
      const step = second < first ? -1 : 1;
      return range(first, second + step, step, budget).join(' ');
    }
    case 3:
      if (third < first && second > 0) return '';
      return range(first, third + (third < first ? -1 : 1), second, budget).join(' ');
    default:
      return '';
  }
}

function decimals(
  first: GoValue,
  others: readonly GoValue[],
  operation: (a: Decimal, b: Decimal) => Decimal,
  budget: Budget,
): GoNumber {
  // Exact sums and products of very large and very small numbers have many digits.
  budget.charge(200 * others.length * (others.length + 1));
  const result = others.reduce(
    (sum: Decimal, other) => operation(sum, decimalOf(toFloat64(other))),
    decimalOf(toFloat64(first)),
  );
  return float64(toNumber(result));
}

function quotient(a: GoValue, b: GoValue, operation: (a: bigint, b: bigint) => bigint): GoNumber {
  const divisor = toInt64(b);
  if (divisor === 0n) throw new Error('integer divide by zero');
  return int64(operation(toInt64(a), divisor));
}

function round(value: number, places: number, roundOn: number): number {
  const power = 10 ** places;
  const scaled = power * value;
  return (scaled - Math.trunc(scaled) >= roundOn ? Math.ceil(scaled) : Math.floor(scaled)) / power;
}

/** Base 8, despite the name. */
function toDecimal(value: GoValue, budget: Budget): bigint {
  const text = print([value], budget);
  if (!/^[+-]?0*[0-7]{1,22}$/u.test(text)) return 0n;
  const digits = BigInt(`0o${text.replace(/^[+-]/u, '')}`);
  const result = text.startsWith('-') ? -digits : digits;
  return result > maxInt64 || result < minInt64 ? 0n : result;
}

function parseInteger(text: string): bigint {
  const [, sign = '', digits = '0'] = /^([+-]?)0*([0-9]*)$/u.exec(text) ?? [];
  if (text === sign) return 0n;
  // Values out of range become the maximum.
  const size = digits.length > 19 ? 2n ** 63n : BigInt(digits);
  if (sign === '-') return size > maxInt64 ? minInt64 : -size;
  return size > maxInt64 ? maxInt64 : size;
}

const largest = variadicFn(['any'], 'any', (first, others) =>
  int64(others.map(toInt64).reduce((a, b) => (b > a ? b : a), toInt64(first))),
);
const extreme = (pick: (a: number, b: number) => number) =>
  variadicFn(['any'], 'any', (first, others) =>
    float64(others.map(toFloat64).reduce((a, b) => pick(a, b), toFloat64(first))),
  );

export const numbers: FunctionMap = {
  atoi: fn(['string'], (text) => int(parseInteger(text))),
  int64: fn(['any'], (value) => int64(toInt64(value))),
  int: fn(['any'], (value) => int(toInt64(value))),
  float64: fn(['any'], (value) => float64(toFloat64(value))),
  seq: variadicFn([], 'int', (params, { budget }) => sequence(params, budget)),
  toDecimal: fn(['any'], (value, { budget }) => int64(toDecimal(value, budget))),
  until: fn(['int'], (count, { budget }) => intList(range(0, count, count < 0 ? -1 : 1, budget))),
  untilStep: fn(['int', 'int', 'int'], (start, stop, step, { budget }) => intList(range(start, stop, step, budget))),
  add1: fn(['any'], (value) => int64(toInt64(value) + 1n)),
  add: variadicFn([], 'any', (values) => int64(values.reduce((sum: bigint, value) => sum + toInt64(value), 0n))),
  sub: fn(['any', 'any'], (a, b) => int64(toInt64(a) - toInt64(b))),
  div: fn(['any', 'any'], (a, b) => quotient(a, b, (left, right) => left / right)),
  mod: fn(['any', 'any'], (a, b) => quotient(a, b, (left, right) => left % right)),
  mul: variadicFn(['any'], 'any', (first, others) =>
    int64(others.reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt64(value)), toInt64(first))),
  ),
  add1f: fn(['any'], (value, { budget }) => decimals(value, [int(1)], add, budget)),
  addf: variadicFn([], 'any', (values, { budget }) => decimals(int(0), values, add, budget)),
  subf: variadicFn(['any'], 'any', (first, others, { budget }) => decimals(first, others, subtract, budget)),
  divf: variadicFn(['any'], 'any', (first, others, { budget }) => decimals(first, others, divide, budget)),
  mulf: variadicFn(['any'], 'any', (first, others, { budget }) => decimals(first, others, multiply, budget)),
  biggest: largest,
  max: largest,
  min: variadicFn(['any'], 'any', (first, others) =>
    int64(others.map(toInt64).reduce((a, b) => (b < a ? b : a), toInt64(first))),
  ),
  maxf: extreme((a, b) => Math.max(a, b)),
  minf: extreme((a, b) => Math.min(a, b)),
  ceil: fn(['any'], (value) => float64(Math.ceil(toFloat64(value)))),
  floor: fn(['any'], (value) => float64(Math.floor(toFloat64(value)))),
  round: variadicFn(['any', 'int'], 'float64', (value, places, [roundOn = 0.5]) =>
    float64(round(toFloat64(value), places, roundOn)),
  ),
};
