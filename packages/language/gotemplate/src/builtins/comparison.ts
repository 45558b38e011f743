import { compareBytes } from '@hawser/json';
import { fn, type FunctionMap, variadicFn } from '../template-function.js';
import { numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoValue } from '../values/go-value.js';
import { isList, isMap, isNil, isNilList, typeName } from '../values/types.js';
import { isTemplateFunction } from '../template-function.js';

type BasicKind = 'bool' | 'int' | 'uint' | 'float' | 'string' | 'other';

function basicKind(value: GoValue): BasicKind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return numberView(value)?.kind ?? 'other';
}

const incompatible = (a: GoValue, b: GoValue): Error =>
  new Error(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);

/** Go's `eq`. Throws where Go fails. */
export function equals(a: GoValue, b: GoValue): boolean {
  const [kindA, kindB] = [basicKind(a), basicKind(b)];
  if (kindA !== kindB) {
    if (isInteger(kindA) && isInteger(kindB)) return numberView(a)?.value === numberView(b)?.value;
    if (isNil(a) || isNil(b)) return false;
    throw incompatible(a, b);
  }
  if (kindA === 'bool' || kindA === 'string') return a === b;
  if (kindA !== 'other') return numberView(a)?.value === numberView(b)?.value;
  if (isAnyNil(a) || isAnyNil(b)) return isAnyNil(a) && isAnyNil(b);
  if (a instanceof GoObject && b instanceof GoObject) return a === b;
  if (isList(b) || isMap(b) || isTemplateFunction(b)) throw new Error(`non-comparable type ${typeName(b)}`);
  throw new Error(`non-comparable types ${typeName(a)} and ${typeName(b)}`);
}

/** Go's order of two values: negative, zero, positive, or NaN without an order. Throws where Go fails. */
function compare(a: GoValue, b: GoValue): number {
  const [kindA, kindB] = [basicKind(a), basicKind(b)];
  if (kindA === 'other' || kindB === 'other') throw new Error('invalid type for comparison');
  if (kindA !== kindB && !(isInteger(kindA) && isInteger(kindB))) throw incompatible(a, b);
  if (kindA === 'bool') throw new Error('invalid type for comparison');
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  const [left, right] = [numberView(a)?.value ?? 0, numberView(b)?.value ?? 0];
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right ? 0 : Number.NaN;
}

const isAnyNil = (value: GoValue): boolean => isNil(value) || isNilList(value);

const isInteger = (kind: BasicKind): boolean => kind === 'int' || kind === 'uint';

export const comparisons: FunctionMap = {
  eq: variadicFn(['any'], 'any', (first, others) => {
    if (others.length === 0) throw new Error('missing argument for comparison');
    return others.some((other) => equals(first, other));
  }),
  ne: fn(['any', 'any'], (a, b) => !equals(a, b)),
  lt: fn(['any', 'any'], (a, b) => compare(a, b) < 0),
  le: fn(['any', 'any'], (a, b) => compare(a, b) <= 0),
  // Defined like the originals: not less or equal, which is true for unordered values.
  gt: fn(['any', 'any'], (a, b) => !(compare(a, b) <= 0)),
  ge: fn(['any', 'any'], (a, b) => !(compare(a, b) < 0)),
};
