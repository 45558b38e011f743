import type { JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import { equalInOrder } from '../values/collections.js';
import { equal } from '../values/equal.js';
import { noSuchOverload } from '../values/error.js';
import { describe } from '../values/describe.js';
import { typeName } from '../values/type-name.js';
import { isList, isMap, type ListValue, type Value } from '../values/value.js';
import { escape } from './escape.js';

export type Convert = (value: JsonValue, schema: JsonSchemaProps) => Value;

type Element = { readonly raw: JsonValue } | { readonly value: Value };

const scalarText = (value: Value | undefined): string =>
  value === undefined ? 'nil' : `${typeName(value)} ${describe(value)}`;

/** A list of the object. Sets and map lists are equal in any order; `+` is a union, or a merge by keys. */
export class SchemaList implements ListValue {
  readonly kind = 'list';
  readonly #elements: Element[];

  constructor(
    elements: readonly Element[],
    private readonly schema: JsonSchemaProps,
    private readonly itemSchema: JsonSchemaProps,
    private readonly convert: Convert,
  ) {
    this.#elements = [...elements];
  }

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value | undefined {
    const element = this.#elements[index];
    if (element === undefined) {
      return undefined;
    }
    if ('value' in element) {
      return element.value;
    }
    const value = this.convert(element.raw, this.itemSchema);
    this.#elements[index] = { value };
    return value;
  }

  *[Symbol.iterator](): Iterator<Value> {
    for (let index = 0; index < this.size; index += 1) {
      const value = this.at(index);
      if (value !== undefined) {
        yield value;
      }
    }
  }

  equals(other: Value): boolean {
    if (!isList(other)) {
      throw noSuchOverload();
    }
    const listType = this.schema['x-kubernetes-list-type'] ?? 'atomic';
    switch (listType) {
      case 'set':
        return this.size === other.size && this.#containsAll(other);
      case 'map':
        return this.size === other.size && this.#mapEquals(other);
      case 'atomic':
        return equalInOrder(this, other);
    }
  }

  contains(value: Value): boolean {
    return Array.from(this).some((item) => equal(item, value));
  }

  plus(other: ListValue): ListValue {
    const listType = this.schema['x-kubernetes-list-type'] ?? 'atomic';
    switch (listType) {
      case 'set':
        return this.#union(other);
      case 'map':
        return this.#merge(other);
      case 'atomic':
        return this.#with([...this, ...other]);
    }
  }

  #with(values: readonly Value[]): ListValue {
    return new SchemaList(
      values.map((value) => ({ value })),
      this.schema,
      this.itemSchema,
      this.convert,
    );
  }

  #containsAll(other: ListValue): boolean {
    const own = new Set(Array.from(this, scalarText));
    return Array.from(other).every((value) => own.has(scalarText(value)));
  }

  #union(other: ListValue): ListValue {
    const values = [...this];
    const seen = new Set(values.map(scalarText));
    for (const value of other) {
      const text = scalarText(value);
      if (!seen.has(text)) {
        seen.add(text);
        values.push(value);
      }
    }
    return this.#with(values);
  }

  /**
   * Looks up keys by escaped name in the unescaped object: never finds a key that needs escaping (as in the original).
   */
  #keyOf(item: Value): string {
    const keys = this.schema['x-kubernetes-list-map-keys'] ?? [];
    return JSON.stringify(keys.map((key) => (escape(key) === key && isMap(item) ? scalarText(item.find(key)) : 'nil')));
  }

  #mapEquals(other: ListValue): boolean {
    const own = new Map(Array.from(this, (item) => [this.#keyOf(item), item]));
    return Array.from(other).every((item) => {
      const mine = own.get(this.#keyOf(item));
      return mine !== undefined && equal(mine, item);
    });
  }

  #merge(other: ListValue): ListValue {
    const merged = new Map(Array.from(this, (item) => [this.#keyOf(item), item]));
    for (const item of other) {
      merged.set(this.#keyOf(item), item);
    }
    return this.#with([...merged.values()]);
  }
}
