import { quoteGo } from '../fmt/quote.js';
import { plainText } from '../fmt/print.js';
import { fn, type FunctionMap, type TemplateFunction, variadicFn } from '../template-function.js';
import { byteLength, toBytes } from '../values/bytes.js';
import type { GoMap, GoValue } from '../values/go-value.js';
import { isNil, newMap, stringList, withElements } from '../values/types.js';
import type { Budget } from '../exec/budget.js';
import { textOf, textsOf } from './convert.js';
import { isSpace, lower, trimSpace, upper } from './letters.js';
import { delimitedCase, pascalCase, swapCase, title, untitle } from './words.js';
import { abbreviate, byteSlice, wrap } from './wrap.js';

function repeat(text: string, count: number, budget: Budget): string {
  if (count < 0) throw new Error('negative count');
  budget.charge(text.length * count);
  return text.repeat(count);
}

function indent(spaces: number, text: string, budget: Budget): string {
  const pad = repeat(' ', spaces, budget);
  return pad + replaceAll(text, '\n', `\n${pad}`, budget);
}

function replaceAll(text: string, old: string, replacement: string, budget: Budget): string {
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old);
  budget.charge(text.length + parts.length * replacement.length);
  return parts.join(replacement);
}

function trimChars(text: string, cutset: string): string {
  const cut = new Set(Array.from(cutset));
  const chars = Array.from(text);
  let [start, end] = [0, chars.length];
  while (start < end && cut.has(chars[start] ?? '')) start++;
  while (end > start && cut.has(chars[end - 1] ?? '')) end--;
  return chars.slice(start, end).join('');
}

function splitText(separator: string, text: string, limit = -1): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function numbered(parts: readonly string[]): GoMap {
  const result = newMap();
  parts.forEach((part, index) => {
    result[`_${index}`] = part;
  });
  return withElements('string', result);
}

/** Treats each byte as a character, as these two functions do. */
const byteChars = (text: string): string[] => Array.from(toBytes(text), (byte) => String.fromCharCode(byte));

function withoutSpace(text: string): string {
  const chars = byteChars(text);
  const kept = chars.filter((char) => !isSpace(char));
  return kept.length === chars.length ? text : kept.join('');
}

function initials(text: string): string {
  const chars = byteChars(text);
  return chars.filter((char, index) => !isSpace(char) && (index === 0 || isSpace(chars[index - 1] ?? ''))).join('');
}

function truncate(length: number, text: string): string {
  const bytes = byteLength(text);
  if (length < 0) return bytes + length > 0 ? byteSlice(text, bytes + length, bytes) : text;
  return bytes > length ? byteSlice(text, 0, length) : text;
}

function substring(start: number, end: number, text: string): string {
  if (start < 0) return byteSlice(text, 0, end);
  const length = byteLength(text);
  return byteSlice(text, start, end < 0 || end > length ? length : end);
}

/** Functions that process every character. */
function byCharacter(body: (text: string) => string): TemplateFunction {
  return fn(['string'], (text, { budget }) => {
    budget.charge(text.length * 20);
    return body(text);
  });
}

const present = (values: readonly GoValue[]): GoValue[] => values.filter((value) => !isNil(value));

const trimAll = fn(['string', 'string'], (cutset, text) => trimChars(text, cutset));

export const strings: FunctionMap = {
  hello: fn([], () => 'Hello!'),
  abbrev: fn(['int', 'string'], (width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: fn(['int', 'int', 'string'], (left, right, text) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
  ),
  trunc: fn(['int', 'string'], truncate),
  trim: fn(['string'], trimSpace),
  upper: fn(['string'], upper),
  lower: fn(['string'], lower),
  title: byCharacter(title),
  untitle: byCharacter(untitle),
  substr: fn(['int', 'int', 'string'], substring),
  repeat: fn(['int', 'string'], (count, text, { budget }) => repeat(text, count, budget)),
  trimall: trimAll,
  trimAll,
  trimSuffix: fn(['string', 'string'], (suffix, text) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  trimPrefix: fn(['string', 'string'], (prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  nospace: byCharacter(withoutSpace),
  initials: byCharacter(initials),
  swapcase: byCharacter(swapCase),
  snakecase: byCharacter((text) => delimitedCase(text, '_')),
  camelcase: byCharacter(pascalCase),
  kebabcase: byCharacter((text) => delimitedCase(text, '-')),
  wrap: fn(['int', 'string'], (length, text) => wrap(text, length, '', false)),
  wrapWith: fn(['int', 'string', 'string'], (length, newLine, text, { budget }) => {
    budget.charge(newLine.length * (text.length / Math.max(1, length)));
    return wrap(text, length, newLine, true);
  }),
  contains: fn(['string', 'string'], (part, text) => text.includes(part)),
  hasPrefix: fn(['string', 'string'], (part, text) => text.startsWith(part)),
  hasSuffix: fn(['string', 'string'], (part, text) => text.endsWith(part)),
  quote: variadicFn([], 'any', (values, { budget }) =>
    present(values)
      .map((value) => quoteGo(textOf(value, budget)))
      .join(' '),
  ),
  squote: variadicFn([], 'any', (values, { budget }) =>
    present(values)
      .map((value) => `'${plainText(value, budget)}'`)
      .join(' '),
  ),
  cat: variadicFn([], 'any', (values, { budget }) =>
    present(values)
      .map((value) => plainText(value, budget))
      .join(' '),
  ),
  indent: fn(['int', 'string'], (spaces, text, { budget }) => indent(spaces, text, budget)),
  nindent: fn(['int', 'string'], (spaces, text, { budget }) => `\n${indent(spaces, text, budget)}`),
  replace: fn(['string', 'string', 'string'], (old, replacement, text, { budget }) =>
    replaceAll(text, old, replacement, budget),
  ),
  plural: fn(['string', 'string', 'int'], (one, many, count) => (count === 1 ? one : many)),
  toString: fn(['any'], (value, { budget }) => textOf(value, budget)),
  toStrings: fn(['any'], (value, { budget }) => stringList(textsOf(value, budget))),
  join: fn(['string', 'any'], (separator, value, { budget }) => {
    const texts = textsOf(value, budget);
    budget.charge(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
    return texts.join(separator);
  }),
  split: fn(['string', 'string'], (separator, text) => numbered(splitText(separator, text))),
  splitn: fn(['string', 'int', 'string'], (separator, limit, text) => numbered(splitText(separator, text, limit))),
  splitList: fn(['string', 'string'], (separator, text) => stringList(splitText(separator, text))),
};
