import { parseDeep } from './parse-deep.js';
import type { JsonValue } from './value.js';

/**
 * Parses JSON without loss. An integer beyond ±(2^53 − 1), written as plain digits, becomes a `bigint`; `__proto__`
 * stays an own key. Accepts any depth. Throws the `SyntaxError` of `JSON.parse`.
 *
 * Costs as much as `JSON.parse` unless the text has a number of 16 digits or more outside of a string.
 */
export function parse(text: string): JsonValue {
  if (!hasLongInteger(text)) return JSON.parse(text) as JsonValue;
  try {
    return parseWithSource(text, keepInteger) as JsonValue;
  } catch (error) {
    // A reviver runs from the inside out and overflows the stack for deeply nested text. Parsing alone does not.
    if (error instanceof RangeError) return parseDeep(text);
    throw error;
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

// The compiler's library lacks the third argument of a reviver; every supported Node has it.
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

const INTEGER = /^-?[0-9]+$/u;

function keepInteger(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && INTEGER.test(source)
    ? BigInt(source)
    : value;
}

/** Fewest digits of an integer beyond 2^53 − 1. */
const LONG = 16;

/**
 * Whether `text` may contain a number literal of 16 or more digits. May return true for digits inside a string; never
 * false for a number.
 */
function hasLongInteger(text: string): boolean {
  // A run of 16 digits covers every 16th position, so testing those is enough.
  for (let index = LONG - 1; index < text.length; index += LONG) {
    if (!isDigit(text.charCodeAt(index))) continue;
    let start = index;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
    let end = index + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= LONG && beginsNumber(text, start) && endsNumber(text, end)) return true;
    index = Math.max(index, end - 1);
  }
  return false;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function beginsNumber(text: string, start: number): boolean {
  const before = text[start - 1] === '-' ? start - 2 : start - 1;
  return before < 0 || ' \t\r\n:[,'.includes(text.charAt(before));
}

function endsNumber(text: string, end: number): boolean {
  return end === text.length || ' \t\r\n,]}'.includes(text.charAt(end));
}
