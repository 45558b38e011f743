import { isFields, setOwn } from './own.js';

/** A deep copy of a JSON value, not frozen even where the original is. Keys with value `undefined` are left out. */
export function clone<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isFields(value)) return value;
  const result = {};
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== undefined) setOwn(result, key, typeof field === 'object' ? copy(field) : field);
  }
  return result;
}
