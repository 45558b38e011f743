import { MAX_DEPTH, TooDeepError } from './depth.js';
import { isFields, setOwn } from './own.js';

/**
 * Makes a deep copy of a JSON value, never frozen. Omits keys with value `undefined`. Throws a {@link TooDeepError}.
 */
export function clone<T>(value: T): T {
  return copy(value, MAX_DEPTH) as T;
}

function copy(value: unknown, left: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (left < 0) throw new TooDeepError();
  if (Array.isArray(value)) return value.map((item) => copy(item, left - 1));
  if (!isFields(value)) return value;
  const result = {};
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== undefined) setOwn(result, key, typeof field === 'object' ? copy(field, left - 1) : field);
  }
  return result;
}
