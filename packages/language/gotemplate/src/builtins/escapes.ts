import { print } from '../fmt/print.js';
import { isPrintable } from '../fmt/quote.js';
import { type FunctionMap, variadicFn } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import { toBytes } from '../values/bytes.js';
import type { GoValue } from '../values/go-value.js';
import { isNil } from '../values/types.js';

/** Joins several arguments, as the built-in escapers do. */
function joined(args: readonly GoValue[], budget: Budget): string {
  return print(
    args.map((arg) => (isNil(arg) ? '<no value>' : arg)),
    budget,
  );
}

const HTML: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '+': '&#43;',
  '\0': '\ufffd',
};

/** The function `html`. */
export function escapeHtml(text: string): string {
  return text.replace(/["'&<>\0]/gu, (char) => HTML[char] ?? char);
}

/** Escaping of html/template in plain text: also escapes `+`. */
export function escapeHtmlText(text: string): string {
  return text.replace(/["'&<>+\0]/gu, (char) => HTML[char] ?? char);
}

const JS: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

/** The function `js`. */
function escapeJs(text: string): string {
  return text.replace(/["'&<>=\\\0-\x1f]|[^\0-\x7f]/gu, (char) => {
    const simple = JS[char];
    if (simple !== undefined) return simple;
    const point = char.codePointAt(0) ?? 0;
    return point >= 0x80 && isPrintable(char) ? char : `\\u${point.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/** The function `urlquery`. */
export function escapeQuery(text: string): string {
  let result = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9_.~-]/u.test(char)) result += char;
    else result += char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

export const escapes: FunctionMap = {
  html: variadicFn([], 'any', (args, { budget }) => escapeHtml(joined(args, budget))),
  js: variadicFn([], 'any', (args, { budget }) => escapeJs(joined(args, budget))),
  urlquery: variadicFn([], 'any', (args, { budget }) => escapeQuery(joined(args, budget))),
};
