import type { GoValue } from './go-value.js';

export type IntegerType =
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'time.Duration'
  | 'time.Month'
  | 'time.Weekday';
export type NumberType = IntegerType | 'float64';

/** A number with its Go type, for all but plain JSON numbers. */
export class GoNumber {
  readonly type: NumberType;
  /** A `bigint` for every type but `float64`. */
  readonly value: bigint | number;

  constructor(type: NumberType, value: bigint | number) {
    this.type = type;
    this.value = value;
  }
}

/** A number of any origin, by kind. */
export type NumberView =
  | { readonly kind: 'int'; readonly type: NumberType; readonly value: bigint }
  | { readonly kind: 'uint'; readonly type: NumberType; readonly value: bigint }
  | { readonly kind: 'float'; readonly type: NumberType; readonly value: number };

export const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);

/** Go's `int`. */
export function int(value: bigint | number): GoNumber {
  return new GoNumber('int', BigInt(value));
}

/** Go's `int64`; overflow wraps. */
export function int64(value: bigint | number): GoNumber {
  return new GoNumber('int64', BigInt.asIntN(64, BigInt(value)));
}

/** Go's `float64`: also for whole numbers, which a plain `number` would pass as integers. */
export function float64(value: number): GoNumber {
  return new GoNumber('float64', value);
}

/** The number in a value, if it is one. */
export function numberView(value: GoValue): NumberView | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value)
      ? { kind: 'int', type: 'int64', value: BigInt(value) }
      : { kind: 'float', type: 'float64', value };
  if (typeof value === 'bigint') {
    return value >= minInt64 && value <= maxInt64
      ? { kind: 'int', type: 'int64', value }
      : { kind: 'float', type: 'float64', value: Number(value) };
  }
  if (!(value instanceof GoNumber)) return undefined;
  const { type, value: held } = value;
  if (type === 'float64') return { kind: 'float', type, value: Number(held) };
  return { kind: type.startsWith('uint') ? 'uint' : 'int', type, value: BigInt(held) };
}
