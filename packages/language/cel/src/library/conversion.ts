import { fn, type Library, unguarded } from '../check/declarations.js';
import { listOf, mapOf, opaque, param, type Type, typeOf, types } from '../check/type.js';
import { describe } from '../values/describe.js';
import { CelError, noSuchOverload } from '../values/error.js';
import { Duration, parseGoDuration, parseRfc3339, Timestamp } from '../values/time.js';
import { typeName } from '../values/type-name.js';
import { characters, decodeUtf8, encodeUtf8 } from '../values/utf8.js';
import { isList, isMap, TypeValue, Uint, type Value } from '../values/value.js';
import { int64, uint64 } from './arithmetic.js';

const nanosPerSecond = 1_000_000_000n;

const conversionError = (from: Value, to: string): CelError =>
  new CelError(`type conversion error from '${typeName(from)}' to '${to}'`);

/**
 * The integer part of a double.
 * @throws {CelError} if it does not fit 64 bits
 */
const truncated = (value: number, minimum: number, maximum: number, message: string): bigint => {
  if (!Number.isFinite(value) || value <= minimum || value >= maximum) {
    throw new CelError(message);
  }
  return BigInt(Math.trunc(value));
};

const decimal = (text: string, value: Value, to: string): bigint => {
  if (!/^[+-]?\d+$/.test(text)) {
    throw conversionError(value, to);
  }
  return BigInt(text.replace(/^\+/, ''));
};

const toInt = (value: Value): bigint => {
  if (typeof value === 'bigint') {
    return value;
  }
  if (typeof value === 'number') {
    return truncated(value, -(2 ** 63), 2 ** 63, 'integer overflow');
  }
  if (value instanceof Uint) {
    return int64(value.value);
  }
  if (value instanceof Timestamp) {
    return value.seconds;
  }
  if (value instanceof Duration) {
    return value.nanoseconds;
  }
  if (typeof value !== 'string') {
    throw conversionError(value, 'int');
  }
  const parsed = decimal(value, value, 'int');
  if (BigInt.asIntN(64, parsed) !== parsed) {
    throw conversionError(value, 'int');
  }
  return parsed;
};

const toUint = (value: Value): Uint => {
  if (value instanceof Uint) {
    return value;
  }
  if (typeof value === 'bigint') {
    return uint64(value);
  }
  if (typeof value === 'number') {
    return new Uint(truncated(value, -Number.MIN_VALUE, 2 ** 64, 'unsigned integer overflow'));
  }
  if (typeof value !== 'string' || !/^\d+$/.test(value) || BigInt.asUintN(64, BigInt(value)) !== BigInt(value)) {
    throw conversionError(value, 'uint');
  }
  return new Uint(BigInt(value));
};

const namedNumbers: Readonly<Record<string, number>> = { inf: Infinity, infinity: Infinity, nan: Number.NaN };

const parseDouble = (text: string): number | undefined => {
  const found = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (found !== null) {
    return (namedNumbers[found[2]?.toLowerCase() ?? ''] ?? Number.NaN) * (found[1] === '-' ? -1 : 1);
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    return undefined;
  }
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
};

const toDouble = (value: Value): number => {
  if (typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') {
    return Number(value);
  }
  if (value instanceof Uint) {
    return Number(value.value);
  }
  const parsed = typeof value === 'string' ? parseDouble(value) : undefined;
  if (parsed === undefined) {
    throw conversionError(value, 'double');
  }
  return parsed;
};

const trueTexts: ReadonlySet<Value> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseTexts: ReadonlySet<Value> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

const toBool = (value: Value): boolean => {
  if (typeof value === 'boolean') {
    return value;
  }
  if (trueTexts.has(value)) {
    return true;
  }
  if (falseTexts.has(value)) {
    return false;
  }
  throw conversionError(value, 'bool');
};

/** @throws {CelError} for bytes that are not UTF-8, and for types without a text form */
export const toText = (value: Value): string => {
  if (
    value !== null &&
    (typeof value !== 'object' || [Uint, Timestamp, Duration, TypeValue].some((type) => value instanceof type))
  ) {
    return describe(value);
  }
  const decoded = value instanceof Uint8Array ? decodeUtf8(value) : undefined;
  if (decoded !== undefined) {
    return decoded;
  }
  throw value instanceof Uint8Array
    ? new CelError('invalid UTF-8 in bytes, cannot convert to string')
    : conversionError(value, 'string');
};

export const toTimestamp = (value: Value): Timestamp => {
  if (value instanceof Timestamp) {
    return value;
  }
  if (typeof value === 'bigint') {
    return new Timestamp(value * nanosPerSecond);
  }
  const parsed = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (parsed === undefined) {
    throw conversionError(value, 'google.protobuf.Timestamp');
  }
  return parsed;
};

export const toDuration = (value: Value): Duration => {
  if (value instanceof Duration) {
    return value;
  }
  if (typeof value === 'bigint') {
    return new Duration(value);
  }
  const parsed = typeof value === 'string' ? parseGoDuration(value) : undefined;
  if (parsed === undefined) {
    throw conversionError(value, 'google.protobuf.Duration');
  }
  return new Duration(parsed);
};

const refuse = (value: Value, to: string): never => {
  throw conversionError(value, to);
};

const toBytes = (value: Value): Uint8Array =>
  typeof value === 'string' ? encodeUtf8(value) : value instanceof Uint8Array ? value : refuse(value, 'bytes');

const size = (value: Value): bigint => {
  if (typeof value === 'string') {
    return BigInt(characters(value).length);
  }
  if (value instanceof Uint8Array) {
    return BigInt(value.length);
  }
  if (value !== null && (isList(value) || isMap(value))) {
    return BigInt(value.size);
  }
  throw value instanceof Timestamp || value instanceof Duration
    ? noSuchOverload()
    : new CelError('no such overload: size');
};

const { bool, bytes, double, duration, dyn, int, string, timestamp, uint } = types;
const conversions = (name: string, from: readonly Type[], to: Type, call: (value: Value) => Value): Library =>
  from.map((type) => fn(name, [type], to, (value = null) => call(value)));

const sizes: readonly Type[] = [bytes, listOf(param('A')), mapOf(param('A'), param('B')), string];

/** Conversions, `type()` and `size()`. */
export const conversion: Library = unguarded([
  ...conversions('bool', [bool, string], bool, toBool),
  ...conversions('bytes', [bytes, string], bytes, toBytes),
  ...conversions('double', [double, int, string, uint], double, toDouble),
  ...conversions('duration', [duration, int, string], duration, toDuration),
  ...conversions('dyn', [param('A')], dyn, (value) => value),
  ...conversions('int', [int, double, duration, string, timestamp, uint], int, toInt),
  ...conversions('string', [string, bool, bytes, double, duration, int, timestamp, uint], string, toText),
  ...conversions('timestamp', [timestamp, int, string], timestamp, toTimestamp),
  ...conversions('type', [param('A')], typeOf(param('A')), (value) => new TypeValue(typeName(value))),
  ...conversions('uint', [uint, double, int, string], uint, toUint),
  ...conversions('size', sizes, int, size),
  ...sizes.map((type): Library[number] => [
    'size',
    { member: true, args: [type], result: int, call: (value = null) => size(value) },
  ]),
]);

const named: readonly (readonly [string, Type])[] = [
  ['bool', bool],
  ['bytes', bytes],
  ['double', double],
  ['google.protobuf.Duration', duration],
  ['google.protobuf.Timestamp', timestamp],
  ['int', int],
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['net.CIDR', opaque('net.CIDR')],
  ['net.IP', opaque('net.IP')],
  ['null_type', types.null],
  ['optional_type', { kind: 'optional', of: dyn }],
  ['string', string],
  ['type', typeOf(undefined)],
  ['uint', uint],
];

/** Names of types, as variables. */
export const typeNames: ReadonlyMap<string, Type> = new Map(named.map(([name, type]) => [name, typeOf(type)]));
