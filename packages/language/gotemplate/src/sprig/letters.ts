// Go maps one character to one; JavaScript's conversions may give several (`ß`), or depend on neighbours (`Σ`).

/** White space as Go's unicode tables have it. */
export const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

const SPACE_ONLY = new RegExp(`^${SPACE}$`, 'u');
const EDGES = new RegExp(`^${SPACE}+|${SPACE}+$`, 'gu');

export const isSpace = (char: string): boolean => SPACE_ONLY.test(char);
export const isUpper = (char: string): boolean => /^\p{Lu}$/u.test(char);
export const isLower = (char: string): boolean => /^\p{Ll}$/u.test(char);
export const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);
export const isDigit = (char: string): boolean => /^\p{Nd}$/u.test(char);

export function trimSpace(text: string): string {
  return text.replace(EDGES, '');
}

export function upperChar(char: string): string {
  return single(char.toUpperCase(), char);
}

export function lowerChar(char: string): string {
  return char === 'İ' ? 'i' : single(char.toLowerCase(), char);
}

// Native conversions agree for pure ASCII, and are a hundred times as fast.
const ASCII = /^[\0-\x7f]*$/u;

export function upper(text: string): string {
  return ASCII.test(text) ? text.toUpperCase() : Array.from(text, upperChar).join('');
}

export function lower(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, lowerChar).join('');
}

function single(mapped: string, original: string): string {
  return mapped.length === 1 || mapped.length === String.fromCodePoint(mapped.codePointAt(0) ?? 0).length
    ? mapped
    : original;
}
