import { sortedKeys } from '../fmt/print.js';
import { fn, type FunctionMap, type TemplateFunction, variadicFn } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import type { GoMap, GoValue } from '../values/go-value.js';
import { getKey, isMap, isNil, isTrue, newMap, stringList, typeName } from '../values/types.js';
import { textOf } from './convert.js';

const empty: GoMap = newMap();

/**
 * Sets an ordinary key of any name. Renderings change only their own maps: dicts that templates create, and a copy of
 * the data.
 */
function setKey(map: GoMap, key: string, value: GoValue): void {
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
}

function dict(values: readonly GoValue[], budget: Budget): GoMap {
  const result = newMap();
  for (let index = 0; index < values.length; index += 2)
    result[textOf(values[index], budget)] = index + 1 < values.length ? values[index + 1] : '';
  return result;
}

function writable(map: GoMap | undefined): GoMap {
  if (map === undefined) throw new Error('assignment to entry in nil map');
  return map;
}

/**
 * Fills missing or empty keys of `target`; `overwrite`: replaces every key that `source` has, even by an empty value.
 */
function mergeInto(target: GoMap, source: GoMap, overwrite: boolean, budget: Budget): void {
  for (const key of Object.keys(source)) {
    budget.charge(1);
    const value = source[key];
    const present = getKey(target, key);
    if (isMap(value) && isMap(present)) mergeInto(present, value, overwrite, budget);
    else if (overwrite || (!isTrue(present) && !isNil(value))) setKey(target, key, value);
  }
}

function merging(overwrite: boolean): TemplateFunction {
  return {
    ...variadicFn(['map[string]interface {}'], 'map[string]interface {}', (target = newMap(), sources, { budget }) => {
      for (const source of sources) mergeInto(target, source ?? empty, overwrite, budget);
      return target;
    }),
    mutates: true,
  };
}

function dig(args: readonly GoValue[]): GoValue {
  if (args.length < 3) throw new Error('dig needs at least three arguments');
  const fallback = args.at(-2);
  let value = args.at(-1);
  for (const key of args.slice(0, -2)) {
    if (!isMap(value) || typeName(value) !== 'map[string]interface {}')
      throw new Error(`cannot dig into type ${isNil(value) ? 'nil' : typeName(value)}`);
    if (typeof key !== 'string') throw new Error('keys to dig for must be strings');
    if (!Object.hasOwn(value, key)) return fallback;
    value = value[key];
  }
  return value;
}

export const dicts: FunctionMap = {
  dict: variadicFn([], 'any', (values, { budget }) => dict(values, budget)),
  get: fn(['map[string]interface {}', 'string'], (map = empty, key) => (Object.hasOwn(map, key) ? map[key] : '')),
  set: {
    ...fn(['map[string]interface {}', 'string', 'any'], (map, key, value) => {
      setKey(writable(map), key, value);
      return map;
    }),
    mutates: true,
  },
  unset: {
    ...fn(['map[string]interface {}', 'string'], (map = newMap(), key) => {
      Reflect.deleteProperty(map, key);
      return map;
    }),
    mutates: true,
  },
  hasKey: fn(['map[string]interface {}', 'string'], (map = empty, key) => Object.hasOwn(map, key)),
  pluck: variadicFn(['string'], 'map[string]interface {}', (key, maps) =>
    maps.flatMap((map = empty) => (Object.hasOwn(map, key) ? [map[key]] : [])),
  ),
  // The original has no order; ours is that of ranges.
  keys: variadicFn([], 'map[string]interface {}', (maps) => stringList(maps.flatMap((map = empty) => sortedKeys(map)))),
  values: fn(['map[string]interface {}'], (map = empty) => sortedKeys(map).map((key) => map[key])),
  pick: variadicFn(['map[string]interface {}'], 'string', (map = empty, keys) => {
    const result = newMap();
    for (const key of keys) if (Object.hasOwn(map, key)) result[key] = map[key];
    return result;
  }),
  omit: variadicFn(['map[string]interface {}'], 'string', (map = empty, keys) => {
    const result = newMap();
    for (const key of Object.keys(map)) if (!keys.includes(key)) result[key] = map[key];
    return result;
  }),
  merge: merging(false),
  mustMerge: merging(false),
  mergeOverwrite: merging(true),
  mustMergeOverwrite: merging(true),
  dig: variadicFn([], 'any', dig),
};
