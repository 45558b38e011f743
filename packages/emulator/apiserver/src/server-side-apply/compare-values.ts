import { isObject, type JsonValue } from '@hawser/json';
import { entriesOf, isList } from './entries.js';

/** By UTF-8 bytes, as Go orders strings; in UTF-16 order surrogates would precede U+E000. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** A total order over JSON values: numbers, strings, booleans, lists, maps, null (structured-merge-diff, `value.Compare`). */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (isList(a) && isList(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) return compareLists(sortedEntries(a), sortedEntries(b));
  return 0;
}

const isNumber = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function rank(value: JsonValue): number {
  if (isNumber(value)) return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (isList(value)) return 3;
  return value === null ? 5 : 4;
}

function sortedEntries(object: { readonly [key: string]: JsonValue | undefined }): JsonValue[] {
  return entriesOf(object)
    .sort(([a], [b]) => compareStrings(a, b))
    .flat();
}

function compareLists(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  for (let index = 0; ; index++) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined) return a.length - b.length;
    const difference = compareValues(left, right);
    if (difference !== 0) return difference;
  }
}
