import type { Budget } from '../exec/budget.js';
import { namedText, plainText } from '../fmt/print.js';
import { readFloat, readInteger } from '../syntax/number-literal.js';
import { int, maxInt64, minInt64, numberView } from '../values/go-number.js';
import type { GoList, GoMap, GoValue } from '../values/go-value.js';
import { elementType, isList, isNil, isNilList, kindName, typeName, withElements } from '../values/types.js';

/**
 * Converts nearly anything to an integer: text in any base that Go reads, truncated floats, `true` as 1, and 0 for
 * anything that is not a number.
 */
export function toInt64(value: GoValue): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') {
    const integer = readInteger(value.replace(/\.0+$/u, ''));
    return integer === undefined || integer > maxInt64 || integer < minInt64 ? 0n : integer;
  }
  const number = numberView(value);
  if (number === undefined || number.type === 'time.Duration') return 0n;
  if (number.kind !== 'float') return BigInt.asIntN(64, number.value);
  return Math.abs(number.value) < 2 ** 63 ? BigInt(Math.trunc(number.value)) : minInt64;
}

/** Converts nearly anything to a double; 0 if it is not a number. */
export function toFloat64(value: GoValue): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return parseFloat64(value) ?? 0;
  const number = numberView(value);
  return number === undefined || number.type === 'time.Duration' ? 0 : Number(number.value);
}

function parseFloat64(text: string): number | undefined {
  const named = /^([+-]?)(inf|infinity|nan)$/iu.exec(text);
  if (named !== null) return named[2]?.toLowerCase() === 'nan' ? Number.NaN : named[1] === '-' ? -Infinity : Infinity;
  const value = readFloat(text);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

/** Text unchanged, anything else as printed. */
export function textOf(value: GoValue, budget: Budget): string {
  if (typeof value === 'string') return value;
  return namedText(value) ?? plainText(value, budget);
}

/** Texts of a list without its nils; of anything else, a single text. */
export function textsOf(value: GoValue, budget: Budget): string[] {
  if (isNil(value)) return [];
  return isList(value)
    ? value.filter((item) => !isNil(item)).map((item) => textOf(item, budget))
    : [textOf(value, budget)];
}

/** A list of any element type. Throws for anything else. */
export function listOf(value: GoValue, purpose: string): GoList {
  if (!isList(value)) throw new Error(`cannot ${purpose} type ${isNil(value) ? 'nil' : kindName(value)}`);
  return value;
}

/** A part of a list, of the same type. */
export function sublist(list: GoList, start: number, end: number): GoList {
  return withElements(elementType(list), list.slice(start, end));
}

/** Go's `[]int`. */
export function intList(values: readonly number[]): GoList {
  return withElements(
    'int',
    values.map((value) => int(value)),
  );
}

/** Cost of reading one element. */
export const elementCost = 16;

/** Go's `reflect.DeepEqual`: same types and same content. */
export function deepEqual(a: GoValue, b: GoValue, budget: Budget): boolean {
  budget.charge(elementCost);
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (typeof a === 'string' || typeof a === 'boolean') return a === b;
  if (typeName(a) !== typeName(b)) return false;
  const [left, right] = [numberView(a), numberView(b)];
  if (left !== undefined && right !== undefined) return left.value === right.value;
  if (isList(a) && isList(b))
    return (
      isNilList(a) === isNilList(b) &&
      a.length === b.length &&
      a.every((item, index) => deepEqual(item, b[index], budget))
    );
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  const [mapA, mapB] = [a as GoMap, b as GoMap];
  if (a === b) return true;
  const keys = Object.keys(mapA);
  return (
    keys.length === Object.keys(mapB).length &&
    keys.every((key) => Object.hasOwn(mapB, key) && deepEqual(mapA[key], mapB[key], budget))
  );
}
