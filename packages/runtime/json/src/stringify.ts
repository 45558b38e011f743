import { stringifyDeep } from './stringify-deep.js';

/**
 * Writes JSON like `JSON.stringify`, and a `bigint` as digits. Accepts any depth, like `parse`. Throws a `TypeError`
 * for cycles, and for `undefined` or a function at the top.
 */
export function stringify(value: unknown): string {
  const text = write(value);
  if (typeof text !== 'string') throw new TypeError(`a value of type ${typeof value} cannot be written as JSON`);
  return text;
}

function write(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (isOverflow(error)) return stringifyDeep(value);
    // Try first: searching every value for a bigint would cost more, and there is almost never one.
    if (!(error instanceof TypeError)) throw error;
  }
  try {
    return JSON.stringify(value, writeInteger);
  } catch (error) {
    if (isOverflow(error)) return stringifyDeep(value);
    throw error;
  }
}

/** A text too long for a string is a RangeError, too. */
const isOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.startsWith('Maximum call stack size');

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function writeInteger(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(value.toString()) : value;
}
