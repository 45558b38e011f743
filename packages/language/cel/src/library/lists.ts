import { fn, type Library, method, unguarded } from '../check/declarations.js';
import { listOf, param, types } from '../check/type.js';
import { list } from '../values/collections.js';
import { compare, equal } from '../values/equal.js';
import { CelError } from '../values/error.js';
import { Duration } from '../values/time.js';
import { typeName } from '../values/type-name.js';
import { isList, type ListValue, Uint, type Value } from '../values/value.js';
import { add } from './arithmetic.js';
import { integer, items } from './arguments.js';

const at = (values: ListValue, index: number): Value => {
  const value = values.at(index);
  if (value === undefined) {
    throw new CelError(`index out of bounds: ${index}`);
  }
  return value;
};

const isSorted = (values: ListValue): boolean => {
  const all = Array.from(values);
  return all.every((value, index) => index === 0 || compare(at(values, index - 1), value) <= 0);
};

const extreme = (values: ListValue, name: 'min' | 'max'): Value => {
  const [first, ...rest] = values;
  if (first === undefined) {
    throw new CelError(`${name} called on empty list`);
  }
  return rest.reduce((best, value) => {
    const order = compare(best, value);
    return (name === 'min' ? order > 0 : order < 0) ? value : best;
  }, first);
};

const indexOf = (values: ListValue, wanted: Value): bigint =>
  BigInt(Array.from(values).findIndex((value) => equal(value, wanted)));
const lastIndexOf = (values: ListValue, wanted: Value): bigint =>
  BigInt(Array.from(values).findLastIndex((value) => equal(value, wanted)));

const slice = (values: ListValue, start: bigint, end: bigint): ListValue => {
  const range = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) {
    throw new CelError(`${range}, negative indexes not supported`);
  }
  if (start > end) {
    throw new CelError(`${range}, start index must be less than or equal to end index`);
  }
  if (BigInt(values.size) < end) {
    throw new CelError(`${range}, list is length ${values.size}`);
  }
  return list(Array.from(values).slice(Number(start), Number(end)));
};

const flatten = (values: ListValue, depth: bigint): Value[] => {
  if (depth < 0n) {
    throw new CelError('level must be non-negative');
  }
  return Array.from(values).flatMap((value) => (isList(value) && depth > 0n ? flatten(value, depth - 1n) : [value]));
};

const sortByKeys = (values: ListValue, keys: ListValue): ListValue => {
  const pairs = Array.from(values, (value, index) => ({ value, key: at(keys, index) }));
  const [first] = pairs;
  if (first !== undefined && pairs.some(({ key }) => typeName(key) !== typeName(first.key))) {
    throw new CelError('list elements must have the same type');
  }
  return list(pairs.sort((a, b) => compare(a.key, b.key)).map(({ value }) => value));
};

const distinct = (values: ListValue): ListValue => {
  const unique: Value[] = [];
  for (const value of values) {
    if (!unique.some((other) => equal(value, other))) {
      unique.push(value);
    }
  }
  return list(unique);
};

/** A longer list would exhaust memory, and no API server gets that far within its cost limit. */
const maxRange = 1_000_000n;

const range = (size: bigint): ListValue => {
  if (size > maxRange) {
    throw new CelError('operation cancelled: actual cost limit exceeded');
  }
  return list(Array.from({ length: Math.max(Number(size), 0) }, (_, index) => BigInt(index)));
};

const { bool, bytes, double, duration, dyn, int, string, timestamp, uint } = types;
const comparable = [int, uint, double, bool, duration, timestamp, string, bytes];
const summable: readonly (readonly [typeof int | typeof uint | typeof double | typeof duration, Value])[] = [
  [int, 0n],
  [uint, new Uint(0n)],
  [double, 0],
  [duration, new Duration(0n)],
];
const a = param('A');
const t = param('T');

/** Lists: `kubernetes.lists`, version 3 of the lists extension, and the sets extension. */
export const lists: Library = [
  ...comparable.map((type) => method('isSorted', [listOf(type)], bool, (values) => isSorted(items(values)))),
  ...summable.map(([type, zero]) =>
    method('sum', [listOf(type)], type, (values) => Array.from(items(values)).reduce(add, zero)),
  ),
  ...comparable.map((type) => method('max', [listOf(type)], type, (values) => extreme(items(values), 'max'))),
  ...comparable.map((type) => method('min', [listOf(type)], type, (values) => extreme(items(values), 'min'))),
  method('indexOf', [listOf(a), a], int, (values, wanted = null) => indexOf(items(values), wanted)),
  method('lastIndexOf', [listOf(a), a], int, (values, wanted = null) => lastIndexOf(items(values), wanted)),
  method('slice', [listOf(t), int, int], listOf(t), (values, start, end) =>
    slice(items(values), integer(start), integer(end)),
  ),
  ...unguarded([
    method('flatten', [listOf(listOf(t))], listOf(t), (values) => list(flatten(items(values), 1n))),
    method('flatten', [listOf(dyn), int], listOf(dyn), (values, depth) => list(flatten(items(values), integer(depth)))),
  ]),
  ...comparable.map((type) =>
    method('sort', [listOf(type)], listOf(type), (values) => sortByKeys(items(values), items(values))),
  ),
  ...comparable.map((type) =>
    method('@sortByAssociatedKeys', [listOf(t), listOf(type)], listOf(t), (values, keys) =>
      sortByKeys(items(values), items(keys)),
    ),
  ),
  fn('lists.range', [int], listOf(int), (size) => range(integer(size))),
  method('reverse', [listOf(t)], listOf(t), (values) => list(Array.from(items(values)).reverse())),
  method('distinct', [listOf(t)], listOf(t), (values) => distinct(items(values))),
];

const containsAll = (values: ListValue, wanted: ListValue): boolean =>
  Array.from(wanted).every((value) => values.contains(value));

/** The sets extension. */
export const sets: Library = [
  fn('sets.contains', [listOf(t), listOf(t)], bool, (values, wanted) => containsAll(items(values), items(wanted))),
  fn(
    'sets.equivalent',
    [listOf(t), listOf(t)],
    bool,
    (one, other) => containsAll(items(one), items(other)) && containsAll(items(other), items(one)),
  ),
  fn('sets.intersects', [listOf(t), listOf(t)], bool, (one, other) =>
    Array.from(items(one)).some((value) => items(other).contains(value)),
  ),
];
