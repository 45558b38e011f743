import { fn, type FunctionMap, variadicFn } from '../template-function.js';
import { copyValue } from '../values/copy-value.js';
import type { GoValue } from '../values/go-value.js';
import { isNil, isTrue, kindName, typeName } from '../values/types.js';
import { deepEqual } from './convert.js';

const copy = fn(['any'], (value, { budget }) => {
  if (isNil(value)) throw new Error('cannot copy nil');
  return copyValue(value, (size) => {
    budget.charge(size);
  });
});

function fail(message: string): GoValue {
  throw new Error(message);
}

export const defaults: FunctionMap = {
  default: variadicFn(['any'], 'any', (fallback, [given]) => (isTrue(given) ? given : fallback)),
  empty: fn(['any'], (value) => !isTrue(value)),
  coalesce: variadicFn([], 'any', (values) => values.find(isTrue)),
  all: variadicFn([], 'any', (values) => values.every(isTrue)),
  any: variadicFn([], 'any', (values) => values.some(isTrue)),
  ternary: fn(['any', 'any', 'bool'], (yes, no, condition) => (condition ? yes : no)),
  fail: fn(['string'], fail),
  deepCopy: copy,
  mustDeepCopy: copy,
  typeOf: fn(['any'], (value) => typeName(value)),
  typeIs: fn(['string', 'any'], (type, value) => typeName(value) === type),
  typeIsLike: fn(['string', 'any'], (type, value) => typeName(value) === type || typeName(value) === `*${type}`),
  kindOf: fn(['any'], (value) => kindName(value)),
  kindIs: fn(['string', 'any'], (kind, value) => kindName(value) === kind),
  deepEqual: fn(['any', 'any'], (a, b, { budget }) =>
    isNil(a) || isNil(b) ? isNil(a) && isNil(b) : deepEqual(a, b, budget),
  ),
};
