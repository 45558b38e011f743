import { MAX_DEPTH, TooDeepError } from './depth.js';
import { isFields } from './own.js';

export interface CanonicalOptions {
  /**
   * Sort keys in bytewise (UTF-8) order, as Go writes a map. `false`: keep the order of the object, as Go writes a
   * struct. Default true.
   */
  readonly sortKeys?: boolean | undefined;
  /** Write `<`, `>`, `&` as `\u003c`, `\u003e`, `\u0026`, which is Go's default. Default true. */
  readonly escapeHtml?: boolean | undefined;
}

/**
 * Writes JSON byte for byte like Go's `encoding/json.Marshal`, so hashes agree. No white space and no trailing newline
 * (Go's `Encoder` adds one; append it to match its hashes). Omits keys with value `undefined`. Throws a `TypeError` for
 * what Go refuses: numbers that are not finite, and values that are not JSON. Throws a {@link TooDeepError}.
 */
export function canonical(value: unknown, options: CanonicalOptions = {}): string {
  return write(
    value,
    options.sortKeys ?? true,
    (options.escapeHtml ?? true) ? /[<>&\u2028\u2029]/gu : /[\u2028\u2029]/gu,
    MAX_DEPTH,
  );
}

function write(value: unknown, sortKeys: boolean, escaped: RegExp, left: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, escaped);
    case 'number':
      return writeNumber(value);
    case 'bigint':
    case 'boolean':
      return value.toString();
    case 'object': {
      if (value === null) return 'null';
      if (left < 0) throw new TooDeepError();
      if (Array.isArray(value)) return `[${value.map((item) => write(item, sortKeys, escaped, left - 1)).join(',')}]`;
      if (!isFields(value)) break;
      const keys = Object.keys(value);
      // Keys from an API server are usually sorted.
      if (sortKeys && !isSorted(keys)) keys.sort(compareBytes);
      let text = '';
      for (const key of keys) {
        const field = value[key];
        if (field !== undefined)
          text += `${text === '' ? '' : ','}${writeString(key, escaped)}:${write(field, sortKeys, escaped, left - 1)}`;
      }
      return `{${text}}`;
    }
    case 'undefined':
    case 'function':
    case 'symbol':
      break;
  }
  throw new TypeError(`a value of type ${typeof value} cannot be written as JSON`);
}

/** Printable ASCII that needs no escape, also not for HTML: nearly all text, written unchanged. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/u;

function writeString(text: string, escaped: RegExp): string {
  if (PLAIN.test(text)) return `"${text}"`;
  // Go replaces lone surrogates when it reads text.
  return JSON.stringify(text.toWellFormed()).replace(
    escaped,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be written as JSON`);
  return Object.is(value, -0) ? '-0' : String(value);
}

function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++)
    if (compareBytes(keys[index - 1] ?? '', keys[index] ?? '') > 0) return false;
  return true;
}

/** Compares by UTF-8 bytes, that is by code point: UTF-16 sorts surrogates before U+E000. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right)
      return (isSurrogate(left) ? left + 0x10000 : left) - (isSurrogate(right) ? right + 0x10000 : right);
  }
  return a.length - b.length;
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
