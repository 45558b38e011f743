import { type Fields, isFields } from './own.js';

/**
 * Whether two JSON values say the same: keys in any order, a key with value `undefined` is an absent key, `5` and `5n` are one number.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b);
  if (isFields(a)) return isFields(b) && equalFields(a, b);
  // Numbers of either type are compared as they would be written: a double's digits are not always its exact value.
  if (typeof a === 'bigint') return typeof b === 'number' && String(a) === String(b);
  if (typeof b === 'bigint') return typeof a === 'number' && String(a) === String(b);
  return Number.isNaN(a) && Number.isNaN(b);
}

function equalArrays(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!equal(a[index], b[index])) return false;
  return true;
}

function equalFields(a: Fields, b: Fields): boolean {
  let inA = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !equal(value, b[key])) return false;
    inA++;
  }
  const keys = Object.keys(b);
  if (keys.length === inA) return true;
  let inB = 0;
  for (const key of keys) if (b[key] !== undefined) inB++;
  return inA === inB;
}
