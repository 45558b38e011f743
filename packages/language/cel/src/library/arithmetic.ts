import { fn, type Library, unguarded } from '../check/declarations.js';
import { listOf, param, runtimeName, type Type, types } from '../check/type.js';
import { equal, compare } from '../values/equal.js';
import { CelError, noSuchOverload } from '../values/error.js';
import { Duration, Timestamp } from '../values/time.js';
import { typeName } from '../values/type-name.js';
import { isList, isMap, Uint, type Value } from '../values/value.js';

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** @throws {CelError} beyond 64 bits */
export const int64 = (value: bigint): bigint => {
  if (value < minInt || value > maxInt) {
    throw new CelError('integer overflow');
  }
  return value;
};

/** @throws {CelError} below zero, or beyond 64 bits */
export const uint64 = (value: bigint): Uint => {
  if (value < 0n || value > maxUint) {
    throw new CelError('unsigned integer overflow');
  }
  return new Uint(value);
};

const addTimes = (a: Value, b: Value): Value | undefined => {
  if (a instanceof Duration && b instanceof Duration) {
    return new Duration(a.nanoseconds + b.nanoseconds);
  }
  if (a instanceof Timestamp && b instanceof Duration) {
    return new Timestamp(a.nanoseconds + b.nanoseconds, a.offsetMinutes);
  }
  return a instanceof Duration && b instanceof Timestamp ? addTimes(b, a) : undefined;
};

const joinBytes = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
};

export const add = (a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    return int64(a + b);
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return a + b;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    return a + b;
  }
  if (a instanceof Uint && b instanceof Uint) {
    return uint64(a.value + b.value);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return joinBytes(a, b);
  }
  if (isList(a) && isList(b)) {
    return a.plus(b);
  }
  const time = addTimes(a, b);
  if (time === undefined) {
    throw noSuchOverload();
  }
  return time;
};

const subtract = (a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    return int64(a - b);
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return a - b;
  }
  if (a instanceof Uint && b instanceof Uint) {
    return uint64(a.value - b.value);
  }
  if (a instanceof Duration && b instanceof Duration) {
    return new Duration(a.nanoseconds - b.nanoseconds);
  }
  if (a instanceof Timestamp && b instanceof Duration) {
    return new Timestamp(a.nanoseconds - b.nanoseconds, a.offsetMinutes);
  }
  if (a instanceof Timestamp && b instanceof Timestamp) {
    return new Duration(a.nanoseconds - b.nanoseconds);
  }
  throw noSuchOverload();
};

const notZero = (value: bigint, message: string): bigint => {
  if (value === 0n) {
    throw new CelError(message);
  }
  return value;
};

const multiply = (a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    return int64(a * b);
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return a * b;
  }
  if (a instanceof Uint && b instanceof Uint) {
    return uint64(a.value * b.value);
  }
  throw noSuchOverload();
};

const divide = (a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    return int64(a / notZero(b, 'division by zero'));
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return a / b;
  }
  if (a instanceof Uint && b instanceof Uint) {
    return new Uint(a.value / notZero(b.value, 'division by zero'));
  }
  throw noSuchOverload();
};

const modulo = (a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    notZero(b, 'modulus by zero');
    if (a === minInt && b === -1n) {
      throw new CelError('integer overflow');
    }
    return a % b;
  }
  if (a instanceof Uint && b instanceof Uint) {
    return new Uint(a.value % notZero(b.value, 'modulus by zero'));
  }
  throw noSuchOverload();
};

const negate = (a: Value): Value => {
  if (typeof a === 'bigint') {
    return int64(-a);
  }
  if (typeof a === 'number') {
    return -a;
  }
  throw noSuchOverload();
};

/** Whether a value is in a list, or a map's key. */
const isIn = (value: Value, container: Value): boolean => {
  if (isList(container)) {
    return container.contains(value);
  }
  if (isMap(container)) {
    return container.find(value) !== undefined;
  }
  throw noSuchOverload();
};

const { int, uint, double, string, bytes, bool, timestamp, duration } = types;
const a = param('A');

/** Types that report an unknown operator themselves; for others the error names the operator. */
const receivers: ReadonlySet<string> = new Set(['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration']);

/** Signatures of an operator. The left operand must have a type with signatures; the right one may be anything. */
const binary = (
  name: string,
  signatures: readonly (readonly [Type, Type, Type])[],
  call: (left: Value, right: Value) => Value,
): Library => {
  const lefts = signatures.map(([left]) => left);
  const checked = (left: Value, right: Value): Value => {
    try {
      return call(left, right);
    } catch (error) {
      const isKnown =
        receivers.has(typeName(left)) ||
        lefts.some((type) => type.kind === 'param' || runtimeName(type) === typeName(left));
      throw error instanceof CelError && error.message === noSuchOverload().message && !isKnown
        ? new CelError(`no such overload: ${name}`)
        : error;
    }
  };
  return unguarded(
    signatures.map(([left, right, result]) =>
      fn(name, [left, right], result, (first = null, second = null) => checked(first, second)),
    ),
  );
};

const same = (type: Type): readonly [Type, Type, Type] => [type, type, type];

const numeric = [int, uint, double];
const ordered: readonly (readonly [Type, Type, Type])[] = [
  ...numeric.flatMap((left) => numeric.map((right) => [left, right, bool] as const)),
  ...[bool, string, bytes, timestamp, duration].map((type) => [type, type, bool] as const),
];

/** Operators. `&&`, `||`, `?:` and indexing belong to the language and are in the interpreter. */
export const arithmetic: Library = [
  ...binary('_+_', [bytes, double].map(same), add),
  ...binary(
    '_+_',
    [
      same(duration),
      [duration, timestamp, timestamp],
      [timestamp, duration, timestamp],
      same(int),
      same(listOf(a)),
      same(string),
      same(uint),
    ],
    add,
  ),
  ...binary(
    '_-_',
    [
      same(double),
      same(duration),
      same(int),
      [timestamp, duration, timestamp],
      [timestamp, timestamp, duration],
      same(uint),
    ],
    subtract,
  ),
  ...binary('_*_', [double, int, uint].map(same), multiply),
  ...binary('_/_', [double, int, uint].map(same), divide),
  ...binary('_%_', [int, uint].map(same), modulo),
  ...unguarded([double, int].map((type) => fn('-_', [type], type, (value = null) => negate(value)))),
  ...binary('_==_', [[a, a, bool]], equal),
  ...binary('_!=_', [[a, a, bool]], (left, right) => !equal(left, right)),
  ...binary('_<_', ordered, (left, right) => compare(left, right) < 0),
  ...binary('_<=_', ordered, (left, right) => compare(left, right) <= 0),
  ...binary('_>_', ordered, (left, right) => compare(left, right) > 0),
  ...binary('_>=_', ordered, (left, right) => compare(left, right) >= 0),
  ...binary(
    '@in',
    [
      [a, listOf(a), bool],
      [a, { kind: 'map', key: a, value: param('B') }, bool],
    ],
    isIn,
  ),
  fn('!_', [bool], bool, (value = null) => {
    if (typeof value !== 'boolean') {
      throw noSuchOverload();
    }
    return !value;
  }),
];
