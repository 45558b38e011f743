import type { JsonValue } from '@hawser/json';
import { isInt64 } from './number-kind.js';

/** How Go holds a value. */
export type ValueKind = 'null' | 'boolean' | 'string' | 'int' | 'float' | 'array' | 'object';

export function kindOf(value: JsonValue): ValueKind {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number' || typeof value === 'bigint') return isInt64(value) ? 'int' : 'float';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}
