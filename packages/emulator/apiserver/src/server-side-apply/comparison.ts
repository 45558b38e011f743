import { equal, isObject, type JsonValue } from '@hawser/json';
import { isList, ownValue } from './entries.js';
import { FieldSet, FieldSetBuilder, type Step, step } from './field-set.js';
import {
  type FieldType,
  type ListType,
  type MapType,
  type Shape,
  defaultShape,
  shapeOf,
  typeOfKey,
} from './field-type.js';
import { nameOfItem } from './list-items.js';
import { field } from './path-element.js';

/** Changes of a value's fields. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export const noDifference: Comparison = { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty };

/** Fields that differ between two values of one type. */
export function compareTyped(before: JsonValue, after: JsonValue, type: FieldType): Comparison {
  if (before === after) return noDifference;
  const walk = new CompareWalk();
  walk.compare(before, after, type);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

/** A comparison without certain fields and everything below them. */
export function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  return {
    added: comparison.added.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
    removed: comparison.removed.recursiveDifference(fields),
  };
}

type Value = JsonValue | undefined;

class CompareWalk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  readonly #path: Step[] = [];

  compare(before: Value, after: Value, type: FieldType): void {
    if (before === after) return;
    const shapes = shapesOfPair(before, after, type);
    let isLeaf = false;
    for (const shape of shapes) isLeaf = this.#compareAs(shape, before, after, type);
    if (isLeaf) return;
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  /** Whether the pair was compared as a whole. */
  #compareAs(shape: Shape | undefined, before: Value, after: Value, type: FieldType): boolean {
    if (shape === 'list' && type.list !== undefined) {
      const [left, right] = [itemsOf(before), itemsOf(after)];
      // Empty and null differ only as a whole.
      if (type.list.relationship === 'associative' && left.length + right.length > 0) {
        this.#compareItems(left, right, type.list);
        return false;
      }
    } else if (shape === 'map' && type.map !== undefined) {
      if (!type.map.atomic && (hasKeys(before) || hasKeys(after))) {
        this.#compareKeys(before, after, type.map);
        return false;
      }
    }
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!equal(before, after)) this.modified.insert(this.#path);
    return true;
  }

  #compareKeys(before: Value, after: Value, map: MapType): void {
    const left = isObject(before) ? before : {};
    const right = isObject(after) ? after : {};
    for (const key of Object.keys(left))
      if (left[key] !== undefined) this.#belowKey(key, left[key], ownValue(right, key), map);
    for (const key of Object.keys(right))
      if (ownValue(left, key) === undefined) this.#belowKey(key, undefined, right[key], map);
  }

  #compareItems(before: readonly JsonValue[], after: readonly JsonValue[], list: ListType): void {
    const left = byName(before, list);
    const right = byName(after, list);
    for (const [name, { at, values }] of left) this.#compareNamed(at, values, right.get(name)?.values ?? [], list);
    for (const [name, { at, values }] of right) if (!left.has(name)) this.#compareNamed(at, [], values, list);
  }

  #compareNamed(at: Step, before: readonly JsonValue[], after: readonly JsonValue[], list: ListType): void {
    if (before.length <= 1 && after.length <= 1) this.#below(at, before[0], after[0], list.items);
    else if (before.length > 1 && after.length > 1) {
      if (!equal(before, after)) this.modified.insert([...this.#path, at]);
    } else if (before.length > 1) {
      // No longer duplicate: the remaining item is new, the duplicates are removed.
      if (after.length > 0) this.#below(at, undefined, after[0], list.items);
      this.removed.insert([...this.#path, at]);
    } else {
      if (before.length > 0) this.#below(at, before[0], undefined, list.items);
      this.added.insert([...this.#path, at]);
    }
  }

  /** In most differing pairs, most fields are equal. */
  #belowKey(key: string, before: Value, after: Value, map: MapType): void {
    if (before !== after) this.#below(step(field(key)), before, after, typeOfKey(map, key) ?? {});
  }

  #below(at: Step, before: Value, after: Value, type: FieldType): void {
    this.#path.push(at);
    this.compare(before, after, type);
    this.#path.pop();
  }
}

/** How to compare a pair of values: as one shape, or, if their shapes differ, each as its own. */
export function shapesOfPair(before: Value, after: Value, type: FieldType): readonly (Shape | undefined)[] {
  const fallback = defaultShape(type);
  const left = shapeOf(type, before);
  const right = shapeOf(type, after);
  if (after === undefined) return [left ?? fallback];
  if (before === undefined || left === right || isSingleShape(type)) return [right ?? fallback];
  return [left ?? fallback, right ?? fallback];
}

function isSingleShape(type: FieldType): boolean {
  return Number(type.map !== undefined) + Number(type.list !== undefined) + Number(type.scalar !== undefined) === 1;
}

function byName(items: readonly JsonValue[], list: ListType): Map<string, { at: Step; values: JsonValue[] }> {
  const named = new Map<string, { at: Step; values: JsonValue[] }>();
  for (const value of items) {
    const name = nameOfItem(list, value);
    if ('problem' in name) continue;
    const at = step(name.element);
    const same = named.get(at.key);
    if (same === undefined) named.set(at.key, { at, values: [value] });
    else same.values.push(value);
  }
  return named;
}

const itemsOf = (value: Value): readonly JsonValue[] => (isList(value) ? value : []);

function hasKeys(value: Value): boolean {
  if (!isObject(value)) return false;
  for (const key of Object.keys(value)) if (value[key] !== undefined) return true;
  return false;
}
