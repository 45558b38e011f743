import type { JsonValue } from '@hawser/json';

export const MAX_INT64 = 2n ** 63n - 1n;
export const MIN_INT64 = -(2n ** 63n);

/**
 * Whether Go holds a number of a JSON text as `int64`, and not as `float64`: a whole number that was written out. What `@hawser/json` reads as
 * `number` beyond ±(2^53 − 1) had an exponent or a fraction.
 */
export function isInt64(value: JsonValue): value is number | bigint {
  return typeof value === 'number'
    ? Number.isSafeInteger(value)
    : typeof value === 'bigint' && value >= MIN_INT64 && value <= MAX_INT64;
}

/** A number as `int64(float)` gives it in Go on amd64: towards zero, and the least `int64` for what does not fit. */
export function toInt64(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value >= MIN_INT64 && value <= MAX_INT64 ? value : MIN_INT64;
  if (!Number.isFinite(value)) return MIN_INT64;
  return toInt64(BigInt(Math.trunc(value)));
}

/** A whole number as the shortest JavaScript type that holds it exactly. */
export const shortest = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

/** What `swag.IsFloat64AJSONInteger` calls an integer: whole numbers up to 2^53 − 1, and what lies within a billionth of one from above. */
export function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  if (value < 0) return false;
  const whole = Math.trunc(value);
  if (whole === 0) return false;
  return (value - whole) / (value + whole) < 1e-9;
}
