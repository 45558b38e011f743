import { isObject, type JsonValue } from '@hawser/json';
import { shapesOfPair } from './comparison.js';
import { entriesOf, isList, ownValue } from './entries.js';
import { type FieldType, type ListType, type MapType, typeOfKey } from './field-type.js';
import { nameOfItem } from './list-items.js';
import { serializeElement } from './path-element.js';

type Value = JsonValue | undefined;

/**
 * Merges everything in `applied` over a value. Removes nothing. Items of associative lists take the order of `applied`;
 * the others keep their place among them.
 */
export function mergeTyped(live: JsonValue, applied: JsonValue, type: FieldType): JsonValue {
  return merge(live, applied, type) ?? null;
}

function merge(live: Value, applied: Value, type: FieldType): Value {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  // If shapes differ, that of `applied` decides.
  const shape = shapesOfPair(live, applied, type).at(-1);
  if (shape === 'list' && type.list !== undefined) {
    const [left, right] = [isList(live) ? live : [], isList(applied) ? applied : []];
    if (type.list.relationship === 'associative' && left.length + right.length > 0)
      return mergeItems(left, right, type.list);
  } else if (shape === 'map' && type.map !== undefined) {
    const [left, right] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
    if (!type.map.atomic && entriesOf(left).length + entriesOf(right).length > 0)
      return mergeKeys(left, right, type.map);
  }
  return applied;
}

function mergeKeys(
  live: { readonly [key: string]: Value },
  applied: { readonly [key: string]: Value },
  map: MapType,
): Value {
  const merged: [string, JsonValue][] = [];
  const add = (key: string, value: Value): void => {
    if (value !== undefined) merged.push([key, value]);
  };
  for (const [key, value] of entriesOf(live)) add(key, merge(value, ownValue(applied, key), typeOfKey(map, key) ?? {}));
  for (const [key, value] of entriesOf(applied))
    if (ownValue(live, key) === undefined) add(key, merge(undefined, value, typeOfKey(map, key) ?? {}));
  return merged.length === 0 ? undefined : Object.fromEntries(merged);
}

interface Named {
  readonly name: string;
  readonly value: JsonValue;
}

function mergeItems(live: readonly JsonValue[], applied: readonly JsonValue[], list: ListType): Value {
  const left = named(live, list);
  const right = named(applied, list);
  const inLive = new Map<string, JsonValue>();
  // Duplicate items are not merged with applied ones.
  for (const { name, value } of left) inLive.set(name, inLive.has(name) ? null : value);
  const inApplied = new Map(right.map(({ name, value }) => [name, value]));
  const shared = right.map(({ name }) => name).filter((name) => inLive.has(name));
  const done = new Set<string>();
  const merged: JsonValue[] = [];
  const add = (item: Value): void => {
    if (item !== undefined) merged.push(item);
  };
  let nextShared = shared.shift();
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const ours = left[l];
    const theirs = right[r];
    if (ours !== undefined && theirs !== undefined) {
      if (ours.name === theirs.name) {
        done.add(ours.name);
        add(merge(inLive.get(ours.name), theirs.value, list.items));
        l++;
        r++;
        nextShared = shared.shift();
        continue;
      }
      if (inApplied.has(ours.name) && nextShared !== undefined && nextShared !== ours.name) {
        l++;
        continue;
      }
    }
    if (ours !== undefined) {
      if (!inApplied.has(ours.name)) {
        add(ours.value);
        l++;
        continue;
      }
      if (done.has(ours.name)) l++;
    }
    if (theirs !== undefined) {
      done.add(theirs.name);
      add(merge(inLive.get(theirs.name), theirs.value, list.items));
      r++;
      if (nextShared === theirs.name) nextShared = shared.shift();
    }
  }
  return merged.length === 0 ? undefined : merged;
}

function named(items: readonly JsonValue[], list: ListType): Named[] {
  return items.flatMap((value) => {
    const name = nameOfItem(list, value);
    return 'element' in name ? [{ name: serializeElement(name.element), value }] : [];
  });
}
