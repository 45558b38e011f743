import type { JsonArray, JsonObject, JsonValue } from '@hawser/json';
import { NativeList, equalInOrder } from '../values/collections.js';
import { equal } from '../values/equal.js';
import { takeSteps } from '../values/steps.js';
import { isList, isMap, type ListValue, type MapValue, type Value } from '../values/value.js';

/**
 * How numbers of a document are read. `int`: integers as integers. `double`: integers as doubles, except those that a
 * double cannot hold.
 */
export type Numbers = 'int' | 'double';

/** A value of a document. Converts lists and maps only as far as an expression reads them. */
export const fromJson = (value: JsonValue, numbers: Numbers): Value => {
  if (typeof value === 'number') {
    return numbers === 'int' && Number.isSafeInteger(value) ? BigInt(value) : value;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return isArray(value) ? new JsonList(value, numbers) : new JsonMap(value, numbers);
};

const isArray = (value: JsonArray | JsonObject): value is JsonArray => Array.isArray(value);

class JsonList implements ListValue {
  readonly kind = 'list';

  constructor(
    private readonly items: JsonArray,
    private readonly numbers: Numbers,
  ) {}

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value | undefined {
    const item = this.items[index];
    return item === undefined ? undefined : fromJson(item, this.numbers);
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.items.map((item) => fromJson(item, this.numbers))[Symbol.iterator]();
  }

  equals(other: Value): boolean {
    // A document has no NaN, so each number equals itself.
    return isList(other) && ((other instanceof JsonList && other.items === this.items) || equalInOrder(this, other));
  }

  contains(value: Value): boolean {
    if (typeof value === 'string') {
      takeSteps(this.items.length);
      return this.items.includes(value);
    }
    return this.items.some((item) => equal(fromJson(item, this.numbers), value));
  }

  plus(other: ListValue): ListValue {
    return new NativeList([...this, ...other]);
  }
}

class JsonMap implements MapValue {
  readonly kind = 'map';
  #keys: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly numbers: Numbers,
  ) {}

  get size(): number {
    return this.#present().length;
  }

  find(key: Value): Value | undefined {
    const value = typeof key === 'string' && Object.hasOwn(this.object, key) ? this.object[key] : undefined;
    return value === undefined ? undefined : fromJson(value, this.numbers);
  }

  keys(): Iterable<Value> {
    return this.#present();
  }

  equals(other: Value): boolean {
    if (!isMap(other) || other.size !== this.size) {
      return false;
    }
    return this.#present().every((key) => {
      const [mine, theirs] = [this.find(key), other.find(key)];
      return mine !== undefined && theirs !== undefined && equal(mine, theirs);
    });
  }

  /** Sorted: an expression gives the same result each time. */
  #present(): readonly string[] {
    if (this.#keys === undefined) {
      this.#keys = Object.keys(this.object)
        .filter((key) => this.object[key] !== undefined)
        .toSorted();
      takeSteps(this.#keys.length);
    }
    return this.#keys;
  }
}
