import { compareBytes } from '@hawser/json';
import { fn, type FunctionMap, type TemplateFunction, variadicFn } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import type { GoList, GoValue } from '../values/go-value.js';
import { isList, isNil, isTrue, nilList, stringList, withElements } from '../values/types.js';
import { deepEqual, listOf, sublist, textOf, textsOf, toInt64 } from './convert.js';

/**
 * Registers a function under its name and with the prefix `must`: in Go they differ only in how they report an error.
 */
function both(name: string, implementation: TemplateFunction): Record<string, TemplateFunction> {
  return { [name]: implementation, [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`]: implementation };
}

function contains(list: GoList, value: GoValue, budget: Budget): boolean {
  return list.some((item) => deepEqual(value, item, budget));
}

function orNil(list: GoList, part: (list: GoList) => GoList): GoList {
  return list.length === 0 ? nilList() : part(list);
}

function chunk(size: number, list: GoList): GoList {
  if (size <= 0) {
    // Below zero the original still counts the chunks, and makes none or one of them.
    const count = size === 0 || list.length === 0 ? -1 : Math.floor((list.length - 1) / size) + 1;
    if (count < 0) throw new Error('chunks need a size above zero');
    return withElements('[]interface {}', count === 0 ? [] : [[...list]]);
  }
  const chunks: GoList[] = [];
  for (let start = 0; start < list.length; start += size) chunks.push(list.slice(start, start + size));
  return withElements('[]interface {}', chunks);
}

function slice(value: GoValue, indices: readonly GoValue[]): GoValue {
  const list = listOf(value, 'slice');
  if (list.length === 0) return null;
  const [first, second] = indices;
  const start = indices.length > 0 ? Number(toInt64(first)) : 0;
  const end = indices.length > 1 ? Number(toInt64(second)) : list.length;
  if (start < 0 || end > list.length || start > end) throw new Error('slice index out of bounds');
  return sublist(list, start, end);
}

function concat(lists: readonly GoValue[], budget: Budget): GoList {
  const parts = lists.map((list) => listOf(list, 'concat'));
  budget.charge(parts.reduce((sum, part) => sum + part.length, 0));
  const all = parts.flat();
  return all.length === 0 ? nilList() : all;
}

const list = variadicFn([], 'any', (values) => [...values]);

const push = fn(['any', 'any'], (values, value) => [...listOf(values, 'push on'), value]);

export const lists: FunctionMap = {
  list,
  tuple: list,
  ...both('append', push),
  ...both('push', push),
  ...both(
    'prepend',
    fn(['any', 'any'], (values, value) => [value, ...listOf(values, 'prepend on')]),
  ),
  ...both(
    'first',
    fn(['any'], (values) => listOf(values, 'find first on')[0]),
  ),
  ...both(
    'last',
    fn(['any'], (values) => listOf(values, 'find last on').at(-1)),
  ),
  ...both(
    'rest',
    fn(['any'], (values) => orNil(listOf(values, 'find rest on'), (list) => list.slice(1))),
  ),
  ...both(
    'initial',
    fn(['any'], (values) => orNil(listOf(values, 'find initial on'), (list) => list.slice(0, -1))),
  ),
  ...both(
    'reverse',
    fn(['any'], (values) => listOf(values, 'reverse').toReversed()),
  ),
  ...both(
    'compact',
    fn(['any'], (values) => listOf(values, 'compact').filter(isTrue)),
  ),
  ...both(
    'uniq',
    fn(['any'], (values, { budget }) => {
      const unique: GoValue[] = [];
      for (const value of listOf(values, 'find uniq on')) if (!contains(unique, value, budget)) unique.push(value);
      return unique;
    }),
  ),
  ...both(
    'without',
    variadicFn(['any'], 'any', (values, omitted, { budget }) =>
      listOf(values, 'find without on').filter((value) => !contains(omitted, value, budget)),
    ),
  ),
  ...both(
    'has',
    fn(
      ['any', 'any'],
      (needle, haystack, { budget }) => !isNil(haystack) && contains(listOf(haystack, 'find has on'), needle, budget),
    ),
  ),
  ...both('slice', variadicFn(['any'], 'any', slice)),
  ...both(
    'chunk',
    fn(['int', 'any'], (size, values) => chunk(size, listOf(values, 'chunk'))),
  ),
  concat: variadicFn([], 'any', (values, { budget }) => concat(values, budget)),
  sortAlpha: fn(['any'], (value, { budget }) =>
    stringList(isList(value) ? textsOf(value, budget).sort(compareBytes) : [textOf(value, budget)]),
  ),
};
