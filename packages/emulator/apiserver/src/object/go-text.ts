import { isObject, type JsonValue } from '@hawser/json';
import { isArray } from './json.js';

/** As Go prints a value with `%v`. */
export function goText(value: JsonValue | undefined): string {
  if (isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isObject(value))
    return `map[${Object.keys(value)
      .sort()
      .map((key) => `${key}:${goText(value[key])}`)
      .join(' ')}]`;
  return value === null || value === undefined ? '<nil>' : String(value);
}
