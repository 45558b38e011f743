import { fn, type Library, method } from '../check/declarations.js';
import { listOf, optionalOf, param, types } from '../check/type.js';
import { list, NativeList, NativeMap } from '../values/collections.js';
import { CelError } from '../values/error.js';
import { Duration, Timestamp } from '../values/time.js';
import { Optional, Uint, type Value } from '../values/value.js';
import { items } from './arguments.js';

const optional = (value: Value | undefined): Optional => {
  if (!(value instanceof Optional)) {
    throw new CelError('no such overload');
  }
  return value;
};

const valueOf = (value: Value | undefined): Value => {
  const inner = optional(value).value;
  if (inner === undefined) {
    throw new CelError('optional.none() dereference');
  }
  return inner;
};

const isZero = (value: Value): boolean => {
  if (value === null || value === false || value === 0n || value === 0 || value === '') {
    return true;
  }
  if (typeof value !== 'object') {
    return false;
  }
  // Lists and maps of the object never count as empty.
  if (value instanceof NativeList || value instanceof NativeMap) {
    return value.size === 0;
  }
  if (value instanceof Uint8Array) {
    return value.length === 0;
  }
  if (value instanceof Uint) {
    return value.value === 0n;
  }
  if (value instanceof Timestamp) {
    return value.nanoseconds === Timestamp.zero.nanoseconds;
  }
  return value instanceof Duration && value.nanoseconds === 0n;
};

const unwrap = (values: Value | undefined): Value => {
  const present: Value[] = [];
  for (const value of items(values)) {
    const inner = optional(value).value;
    if (inner !== undefined) {
      present.push(inner);
    }
  }
  return list(present);
};

const end = (values: Value | undefined, index: number): Value => {
  const value = Array.from(items(values)).at(index);
  return value === undefined ? Optional.none : Optional.of(value);
};

const v = param('V');

/** Optionals. `or` and `orValue` evaluate their argument only on demand, and are in the interpreter. */
export const optionals: Library = [
  fn('optional.of', [v], optionalOf(v), (value = null) => Optional.of(value)),
  fn('optional.ofNonZeroValue', [v], optionalOf(v), (value = null) =>
    isZero(value) ? Optional.none : Optional.of(value),
  ),
  fn('optional.none', [], optionalOf(v), () => Optional.none),
  method('value', [optionalOf(v)], v, valueOf),
  method('hasValue', [optionalOf(v)], types.bool, (value) => optional(value).value !== undefined),
  method('or', [optionalOf(v), optionalOf(v)], optionalOf(v), (value = null, other = null) =>
    optional(value).value === undefined ? other : value,
  ),
  method('orValue', [optionalOf(v), v], v, (value, other = null) => optional(value).value ?? other),
  method('first', [listOf(v)], optionalOf(v), (values) => end(values, 0)),
  method('last', [listOf(v)], optionalOf(v), (values) => end(values, -1)),
  fn('optional.unwrap', [listOf(optionalOf(v))], listOf(v), unwrap),
  method('unwrapOpt', [listOf(optionalOf(v))], listOf(v), unwrap),
];
