import { stringifyDeep } from './stringify-deep.js';

/**
 * `JSON.stringify` that writes a `bigint` as digits. Throws a `TypeError` for what JSON cannot say at all: `undefined` or a function at the top,
 * and cycles.
 *
 * However deep the value is nested, it is written, as `parse` reads it.
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
    // Rather than search every value for a bigint first: the attempt costs nothing when there is none, which is nearly always.
    if (!(error instanceof TypeError)) throw error;
  }
  try {
    return JSON.stringify(value, writeInteger);
  } catch (error) {
    if (isOverflow(error)) return stringifyDeep(value);
    throw error;
  }
}

/** A text that is too long for a string is a RangeError, too. */
const isOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.startsWith('Maximum call stack size');

const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function writeInteger(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(value.toString()) : value;
}
