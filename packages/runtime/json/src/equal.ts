import { MAX_DEPTH, TooDeepError } from './depth.js';
import { type Fields, isFields } from './own.js';

/**
 * Whether two JSON values are equal. Ignores the order of keys; a key with value `undefined` is absent; `5` and `5n`
 * are one number.
 * @throws {TooDeepError} if both are nested deeper than {@link MAX_DEPTH} as far as they are equal
 */
export function equal(a: unknown, b: unknown): boolean {
  return equalAt(a, b, MAX_DEPTH);
}

/** `left`: remaining depth. */
function equalAt(a: unknown, b: unknown, left: number): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b, left - 1);
  if (isFields(a)) return isFields(b) && equalFields(a, b, left - 1);
  // Compares numbers of both types as written: a double's digits are not always its exact value.
  if (typeof a === 'bigint') return typeof b === 'number' && String(a) === String(b);
  if (typeof b === 'bigint') return typeof a === 'number' && String(a) === String(b);
  return Number.isNaN(a) && Number.isNaN(b);
}

function equalArrays(a: readonly unknown[], b: readonly unknown[], left: number): boolean {
  if (left < 0) throw new TooDeepError();
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!equalAt(a[index], b[index], left)) return false;
  return true;
}

function equalFields(a: Fields, b: Fields, left: number): boolean {
  if (left < 0) throw new TooDeepError();
  let inA = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !equalAt(value, b[key], left)) return false;
    inA++;
  }
  const keys = Object.keys(b);
  if (keys.length === inA) return true;
  let inB = 0;
  for (const key of keys) if (b[key] !== undefined) inB++;
  return inA === inB;
}
