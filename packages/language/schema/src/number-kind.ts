import type { JsonValue } from '@hawser/json';

export const MAX_INT64 = 2n ** 63n - 1n;
export const MIN_INT64 = -(2n ** 63n);

/**
 * Whether Go holds a JSON number as `int64`, not as `float64`: a whole number without exponent or fraction. A `number`
 * of `@hawser/json` beyond ±(2^53 − 1) had one.
 */
export function isInt64(value: JsonValue): value is number | bigint {
  return typeof value === 'number'
    ? Number.isSafeInteger(value)
    : typeof value === 'bigint' && value >= MIN_INT64 && value <= MAX_INT64;
}

/** A number as Go's `int64(float)` on amd64: towards zero, and the smallest `int64` if out of range. */
export function toInt64(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value >= MIN_INT64 && value <= MAX_INT64 ? value : MIN_INT64;
  if (!Number.isFinite(value)) return MIN_INT64;
  return toInt64(BigInt(Math.trunc(value)));
}

/** A whole number as the smallest JavaScript type that holds it exactly. */
export const shortest = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

/** Integers by `swag.IsFloat64AJSONInteger`: whole numbers up to 2^53 − 1, and numbers within a billionth above one. */
export function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  if (value < 0) return false;
  const whole = Math.trunc(value);
  if (whole === 0) return false;
  return (value - whole) / (value + whole) < 1e-9;
}
