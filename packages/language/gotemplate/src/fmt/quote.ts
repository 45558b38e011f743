import { toBytes } from '../values/bytes.js';

// Go's printable characters: letters, marks, numbers, punctuation, symbols, and the space of ASCII.
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function isPrintable(char: string): boolean {
  return PRINTABLE.test(char);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** A Go string literal, as `%q` prints it. */
export function quoteGo(text: string, quote = '"', asciiOnly = false): string {
  let result = quote;
  for (const char of text) result += escapeChar(char, quote, asciiOnly);
  return result + quote;
}

function escapeChar(char: string, quote: string, asciiOnly: boolean): string {
  if (char === quote) return `\\${char}`;
  const simple = ESCAPES[char];
  if (simple !== undefined) return simple;
  const point = char.codePointAt(0) ?? 0;
  if (isPrintable(char) && !(asciiOnly && point > 0x7e)) return char;
  if (point >= 0xdc80 && point <= 0xdcff) return `\\x${(point - 0xdc00).toString(16)}`;
  if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, '0')}`;
  return point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`;
}

/** Whether backquotes can enclose a string. */
export function canBackquote(text: string): boolean {
  return !/[`\p{Cc}\u{feff}]/u.test(text.replaceAll('\t', '')) && text.isWellFormed();
}

/** Bytes in hexadecimal, as `%x` prints a string. */
export function hexOf(text: string): string {
  return toBytes(text).toString('hex');
}
