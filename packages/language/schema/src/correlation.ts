import { type JsonValue, equal } from '@hawser/json';
import { getOwn, isObject } from './own.js';
import { type StructuralSchema, schemaOfKey } from './structural-schema.js';

/**
 * A value and the one it replaces: matches fields by name, and items of a list with `x-kubernetes-list-type: map` by
 * their keys. Items of other lists have no counterpart. Created for a single update.
 */
export class Correlation {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: StructuralSchema;
  readonly #children = new Map<string | number, Correlation>();
  #oldByKey: ReadonlyMap<string, JsonValue> | undefined;
  #unchanged: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: StructuralSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** For a field that both have. */
  field(key: string): Correlation | undefined {
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    if (!isObject(this.#value) || !isObject(this.#old)) return undefined;
    const value = getOwn(this.#value, key);
    const old = getOwn(this.#old, key);
    const schema = schemaOfKey(this.#schema, key);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return this.#remember(key, new Correlation(value, old, schema));
  }

  /** For an item that both have, at any position. */
  item(index: number): Correlation | undefined {
    const known = this.#children.get(index);
    if (known !== undefined) return known;
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    const items = this.#value as readonly JsonValue[];
    const value = items[index];
    if (value === undefined || this.#schema.listType !== 'map' || this.#schema.items === undefined) return undefined;
    const key = this.#keyOf(value);
    this.#oldByKey ??= this.#indexed(this.#old as readonly JsonValue[]);
    const old = key === undefined ? undefined : this.#oldByKey.get(key);
    return old === undefined ? undefined : this.#remember(index, new Correlation(value, old, this.#schema.items));
  }

  /** Whether nothing in it changed. Ignores the order of items in a list of type `map`. */
  isUnchanged(): boolean {
    return (this.#unchanged ??= this.#compare());
  }

  #compare(): boolean {
    const value = this.#value;
    const old = this.#old;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#schema.listType !== 'map') return equal(value, old);
      return value.every((_, index) => this.item(index)?.isUnchanged() ?? false);
    }
    if (isObject(value) && isObject(old)) {
      const keys = presentKeys(value);
      return keys.length === presentKeys(old).length && keys.every((key) => this.field(key)?.isUnchanged() ?? false);
    }
    return equal(value, old);
  }

  #remember(key: string | number, child: Correlation): Correlation {
    this.#children.set(key, child);
    return child;
  }

  #indexed(items: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
    const byKey = new Map<string, JsonValue>();
    for (const item of items) {
      const key = this.#keyOf(item);
      if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
    }
    return byKey;
  }

  /** `undefined` for an item that cannot be matched: without all its keys, or with a key that is not a scalar. */
  #keyOf(item: JsonValue): string | undefined {
    if (!isObject(item) || this.#schema.listMapKeys.length === 0) return undefined;
    let composite = '';
    for (const name of this.#schema.listMapKeys) {
      const key = getOwn(item, name);
      if (key === undefined || key === null || typeof key === 'object') return undefined;
      composite += `\0${typeof key === 'bigint' ? 'number' : typeof key}\0${key}`;
    }
    return composite;
  }
}

const presentKeys = (object: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(object).filter((key) => object[key] !== undefined);
