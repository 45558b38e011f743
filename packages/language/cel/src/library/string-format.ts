import { type Library, method } from '../check/declarations.js';
import { listOf, types } from '../check/type.js';
import { CelError } from '../values/error.js';
import { formatFixed, scientificParts } from '../values/decimal.js';
import { Duration, Timestamp } from '../values/time.js';
import { typeName } from '../values/type-name.js';
import { isList, isMap, type ListValue, type MapValue, TypeValue, Uint, type Value } from '../values/value.js';
import { items, text } from './arguments.js';
import { toText } from './conversion.js';

const defaultPrecision = 6;

/** A text as Go's `%q` prints it. */
const quoted = (value: string): string =>
  JSON.stringify(value).replace(
    /\\b|\\f|\\u00(?:07|0b)/g,
    (escape) => ({ '\\u0007': '\\a', '\\u000b': '\\v' })[escape] ?? escape,
  );

const nonFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

const inList = (value: Value): string => {
  if (typeof value === 'string') {
    return quoted(value);
  }
  if (value instanceof Uint8Array) {
    return `b${quoted(toText(value))}`;
  }
  if (value instanceof Timestamp) {
    return `timestamp(${quoted(value.toString())})`;
  }
  if (value instanceof Duration) {
    return `duration(${quoted(value.toString())})`;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? formatFixed(value, defaultPrecision) : quoted(nonFinite(value));
  }
  if (
    value !== null &&
    !isList(value) &&
    !isMap(value) &&
    typeof value === 'object' &&
    !(value instanceof Uint) &&
    !(value instanceof TypeValue)
  ) {
    throw new CelError(`no formatting function for ${typeName(value)}`);
  }
  return asString(value);
};

const listText = (values: ListValue): string => `[${Array.from(values, inList).join(', ')}]`;

const mapText = (map: MapValue): string => {
  const pairs = Array.from(map.keys(), (key) => [inList(key), inList(map.find(key) ?? null)] as const);
  return `{${pairs
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((pair) => pair.join(':'))
    .join(', ')}}`;
};

const asString = (value: Value): string => {
  if (value === null) {
    return 'null';
  }
  if (typeof value !== 'object') {
    return toText(value);
  }
  if (isList(value)) {
    return listText(value);
  }
  if (isMap(value)) {
    return mapText(value);
  }
  if ([Uint, Uint8Array, Timestamp, Duration, TypeValue].some((type) => value instanceof type)) {
    return toText(value);
  }
  throw refused(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
};

const refused = (message: string, value: Value): CelError => new CelError(`${message}, was given ${typeName(value)}`);

const integerOf = (value: Value): bigint | undefined =>
  value instanceof Uint ? value.value : typeof value === 'bigint' ? value : undefined;

const inBase = (value: Value, base: number, message: string): string => {
  const integer = integerOf(value);
  if (integer === undefined) {
    throw refused(message, value);
  }
  return integer.toString(base);
};

const hexadecimal = (value: Value): string => {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return Buffer.from(value).toString('hex');
  }
  return inBase(value, 16, 'only integers, byte buffers, and strings can be formatted as hex');
};

const namedDoubles: ReadonlyMap<Value, number> = new Map<Value, number>([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

const doubleOf = (value: Value, clause: string): number => {
  const double = typeof value === 'number' ? value : namedDoubles.get(value);
  if (double === undefined) {
    throw refused(`${clause} clause can only be used on doubles`, value);
  }
  // The original's printer knows no negative zero.
  return double === 0 ? 0 : double;
};

/** Groups digits by three, in English style, as API servers print `%f`. */
const grouped = (digits: string): string => {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
};

const localNonFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '\u221e' : '-\u221e');

const superscript = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';

/** `1.500000×10⁰³`: English style again. Treats a precision as a width, like the original. */
const scientific = (value: number, width: number): string => {
  if (!Number.isFinite(value)) {
    return localNonFinite(value).padStart(width);
  }
  const { mantissa, exponent } = scientificParts(value, defaultPrecision);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const raised = Array.from(digits, (digit) => superscript.charAt(Number(digit))).join('');
  return `${mantissa}\u00d710${exponent < 0 ? '\u207b' : ''}${raised}`.padStart(width);
};

const clause = (verb: string, precision: number, value: Value): string => {
  switch (verb) {
    case 's':
      return asString(value);
    case 'd':
      return inBase(value, 10, 'decimal clause can only be used on integers');
    case 'f': {
      const double = doubleOf(value, 'fixed-point');
      return Number.isFinite(double) ? grouped(formatFixed(double, precision)) : localNonFinite(double);
    }
    case 'e':
      return scientific(doubleOf(value, 'scientific'), precision);
    case 'b':
      return typeof value === 'boolean'
        ? value
          ? '1'
          : '0'
        : inBase(value, 2, 'only integers and bools can be formatted as binary');
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    case 'o':
      return inBase(value, 8, 'octal clause can only be used on integers');
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause ${quoted(verb)}`);
  }
};

const format = (template: string, values: ListValue): string => {
  let index = 0;
  return template.replace(/%(?:%|(\.\d*)?([^]?))/gu, (found, dotPrecision: string | undefined, verb: string) => {
    if (found === '%%') {
      return '%';
    }
    if (verb === '') {
      throw new CelError('unexpected end of string');
    }
    if (index >= values.size) {
      throw new CelError(`index ${index} out of range`);
    }
    const value = values.at(index) ?? null;
    index += 1;
    return clause(verb, dotPrecision === undefined ? defaultPrecision : Number(dotPrecision.slice(1)), value);
  });
};

/** `'%s is %d'.format([…])` (version 1 of the strings extension, with English number formatting). */
export const stringFormat: Library = [
  method('format', [types.string, listOf(types.dyn)], types.string, (template, values) =>
    format(text(template), items(values)),
  ),
];
