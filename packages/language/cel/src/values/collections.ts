import { equal } from './equal.js';
import { CelError } from './error.js';
import { isList, isMap, type ListValue, type MapValue, Uint, type Value } from './value.js';

/** A list created by an expression. */
export class NativeList implements ListValue {
  readonly kind = 'list';

  constructor(private readonly items: readonly Value[]) {}

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value | undefined {
    return this.items[index];
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.items[Symbol.iterator]();
  }

  equals(other: Value): boolean {
    return isList(other) && equalInOrder(this, other);
  }

  contains(value: Value): boolean {
    return this.items.some((item) => equal(item, value));
  }

  plus(other: ListValue): ListValue {
    return new NativeList([...this.items, ...other]);
  }
}

export const equalInOrder = (a: ListValue, b: ListValue): boolean => {
  if (a.size !== b.size) {
    return false;
  }
  const others = b[Symbol.iterator]();
  for (const item of a) {
    const other = others.next();
    if (other.done === true || !equal(item, other.value)) {
      return false;
    }
  }
  return true;
};

/** Equal keys have equal texts: `1`, `1u` and `1.0` are one key. */
const keyText = (key: Value): string => {
  if (typeof key === 'string') {
    return `s${key}`;
  }
  if (typeof key === 'boolean') {
    return `b${key}`;
  }
  if (key instanceof Uint) {
    return `n${key.value}`;
  }
  if (typeof key === 'bigint' || typeof key === 'number') {
    return `n${key}`;
  }
  throw new CelError('unsupported key type');
};

const isKey = (key: Value): boolean =>
  ['string', 'boolean', 'bigint', 'number'].includes(typeof key) || key instanceof Uint;

/** A map created by an expression. */
export class NativeMap implements MapValue {
  readonly kind = 'map';
  readonly #entries = new Map<string, readonly [Value, Value]>();

  /**
   * Of entries with the same key the last one wins.
   * @throws {CelError} for an invalid key
   */
  constructor(entries: Iterable<readonly [Value, Value]>) {
    for (const [key, value] of entries) {
      this.#entries.set(keyText(key), [key, value]);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    return isKey(key) ? this.#entries.get(keyText(key))?.[1] : undefined;
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) {
      yield key;
    }
  }

  equals(other: Value): boolean {
    if (!isMap(other) || other.size !== this.size) {
      return false;
    }
    return Array.from(this.#entries.values()).every(([key, value]) => {
      const found = other.find(key);
      return found !== undefined && equal(value, found);
    });
  }
}

export const list = (items: readonly Value[]): ListValue => new NativeList(items);
