import { fn, type Library, method, unguarded } from '../check/declarations.js';
import { listOf, types } from '../check/type.js';
import { list } from '../values/collections.js';
import { CelError } from '../values/error.js';
import { characters } from '../values/utf8.js';
import { describe } from '../values/describe.js';
import type { Value } from '../values/value.js';
import { integer, items, text } from './arguments.js';
import { matches } from './pattern.js';

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

const charAt = (subject: string, index: bigint): string => {
  const all = characters(subject);
  if (index < 0n || index > BigInt(all.length)) {
    throw outOfRange(index);
  }
  return all[Number(index)] ?? '';
};

const startsAt = (all: readonly string[], part: readonly string[], at: number): boolean =>
  part.every((character, index) => all[at + index] === character);

const indexOf = (subject: string, part: string, offset: bigint): bigint => {
  if (part === '') {
    return offset;
  }
  if (offset < 0n) {
    throw outOfRange(offset);
  }
  const [all, wanted] = [characters(subject), characters(part)];
  for (let at = Number(offset); at <= all.length - wanted.length; at += 1) {
    if (startsAt(all, wanted, at)) {
      return BigInt(at);
    }
  }
  return -1n;
};

const lastIndexOf = (subject: string, part: string, offset: bigint | undefined): bigint => {
  const [all, wanted] = [characters(subject), characters(part)];
  if (part === '') {
    return offset ?? BigInt(all.length);
  }
  if (offset === undefined && all.length === 0) {
    return -1n;
  }
  const from = offset ?? BigInt(all.length - 1);
  if (from < 0n) {
    throw outOfRange(from);
  }
  if (from >= BigInt(all.length)) {
    return -1n;
  }
  for (let at = Math.min(Number(from), all.length - wanted.length); at >= 0; at -= 1) {
    if (startsAt(all, wanted, at)) {
      return BigInt(at);
    }
  }
  return -1n;
};

/** Go's `strings.Replace`: an empty part matches before every character and at the end. */
const replace = (subject: string, part: string, replacement: string, count: bigint): string => {
  const limit = count < 0n ? Infinity : Number(count);
  const pieces = part === '' ? ['', ...characters(subject), ''] : subject.split(part);
  let result = '';
  let replaced = 0;
  pieces.forEach((piece, index) => {
    if (index > 0) {
      const separator =
        part === '' && index === pieces.length - 1 && subject === '' ? '' : replaced < limit ? replacement : part;
      replaced += 1;
      result += separator;
    }
    result += piece;
  });
  return result;
};

/** Go's `strings.SplitN`. */
const split = (subject: string, separator: string, count: bigint): string[] => {
  if (count === 0n) {
    return [];
  }
  const pieces = separator === '' ? characters(subject) : subject.split(separator);
  if (count < 0n || BigInt(pieces.length) <= count) {
    return pieces;
  }
  const head = pieces.slice(0, Number(count) - 1);
  return [...head, pieces.slice(Number(count) - 1).join(separator)];
};

const substring = (subject: string, start: bigint, end: bigint | undefined): string => {
  const all = characters(subject);
  const length = BigInt(all.length);
  if (end !== undefined && start > end) {
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  for (const index of [start, end ?? length]) {
    if (index < 0n || index > length) {
      throw outOfRange(index);
    }
  }
  return all.slice(Number(start), Number(end ?? length)).join('');
};

/** White space in Unicode and Go: JavaScript adds U+FEFF and lacks U+0085. */
const whiteSpace =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

export const trimSpace = (subject: string): string => subject.replace(whiteSpace, '');

const escapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const quote = (subject: string): string =>
  `"${subject.toWellFormed().replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => escapes[character] ?? character)}"`;

const join = (values: Value | undefined, separator: string): string =>
  Array.from(items(values), (value) => {
    if (typeof value !== 'string') {
      throw new CelError(`join: invalid input: ${describe(value)}`);
    }
    return value;
  }).join(separator);

const asciiCase = (subject: string, change: (letters: string) => string): string =>
  subject.replace(/[A-Za-z]+/g, change);

const { bool, int, string } = types;
const strings = listOf(string);

/** Text: the standard functions, and version 2 of the strings extension. */
export const stringFunctions: Library = [
  ...unguarded([
    method('contains', [string, string], bool, (subject, part) => text(subject).includes(text(part))),
    method('endsWith', [string, string], bool, (subject, part) => text(subject).endsWith(text(part))),
    method('startsWith', [string, string], bool, (subject, part) => text(subject).startsWith(text(part))),
    method('matches', [string, string], bool, (subject, pattern) => matches(text(subject), text(pattern))),
    fn('matches', [string, string], bool, (subject, pattern) => matches(text(subject), text(pattern))),
  ]),
  method('charAt', [string, int], string, (subject, index) => charAt(text(subject), integer(index))),
  method('indexOf', [string, string], int, (subject, part) => indexOf(text(subject), text(part), 0n)),
  method('indexOf', [string, string, int], int, (subject, part, offset) =>
    indexOf(text(subject), text(part), integer(offset)),
  ),
  method('lastIndexOf', [string, string], int, (subject, part) => lastIndexOf(text(subject), text(part), undefined)),
  method('lastIndexOf', [string, string, int], int, (subject, part, offset) =>
    lastIndexOf(text(subject), text(part), integer(offset)),
  ),
  method('lowerAscii', [string], string, (subject) => asciiCase(text(subject), (letters) => letters.toLowerCase())),
  method('upperAscii', [string], string, (subject) => asciiCase(text(subject), (letters) => letters.toUpperCase())),
  method('replace', [string, string, string], string, (subject, part, by) =>
    replace(text(subject), text(part), text(by), -1n),
  ),
  method('replace', [string, string, string, int], string, (subject, part, by, count) =>
    replace(text(subject), text(part), text(by), integer(count)),
  ),
  method('split', [string, string], strings, (subject, separator) => list(split(text(subject), text(separator), -1n))),
  method('split', [string, string, int], strings, (subject, separator, count) =>
    list(split(text(subject), text(separator), integer(count))),
  ),
  method('substring', [string, int], string, (subject, start) => substring(text(subject), integer(start), undefined)),
  method('substring', [string, int, int], string, (subject, start, end) =>
    substring(text(subject), integer(start), integer(end)),
  ),
  method('trim', [string], string, (subject) => trimSpace(text(subject))),
  fn('strings.quote', [string], string, (subject) => quote(text(subject))),
  method('join', [strings], string, (values) => join(values, '')),
  method('join', [strings, string], string, (values, separator) => join(values, text(separator))),
];
