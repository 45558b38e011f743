import type { Duration, Timestamp } from './time.js';

/** An unsigned integer. Signed ones are plain `bigint`. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** A value that may not be there. */
export class Optional {
  static readonly none = new Optional(undefined);

  private constructor(readonly value: Value | undefined) {}

  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** A type as a value: the result of `type(x)`, and names such as `int`. */
export class TypeValue {
  constructor(readonly typeName: string) {}
}

/** A value of a library's type. */
export interface OpaqueValue {
  readonly typeName: string;
  /** @throws {CelError} for values of other types */
  equals(other: Value): boolean;
}

export interface ListValue {
  readonly kind: 'list';
  readonly size: number;
  /** @throws {CelError} if the element does not match the schema */
  at(index: number): Value | undefined;
  [Symbol.iterator](): Iterator<Value>;
  equals(other: Value): boolean;
  contains(value: Value): boolean;
  plus(other: ListValue): ListValue;
}

export interface MapValue {
  readonly kind: 'map';
  readonly size: number;
  find(key: Value): Value | undefined;
  keys(): Iterable<Value>;
  equals(other: Value): boolean;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | Optional
  | TypeValue
  | OpaqueValue;

export const isList = (value: Value): value is ListValue =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'list';

export const isMap = (value: Value): value is MapValue =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'map';
