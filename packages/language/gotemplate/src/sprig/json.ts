import { canonical, parse } from '@hawser/json';
import { sortedKeys } from '../fmt/print.js';
import { fn, type FunctionMap } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import { toText } from '../values/bytes.js';
import { float64, numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoValue } from '../values/go-value.js';
import { isList, isMap, isNil, isNilList, newMap } from '../values/types.js';
import { elementCost } from './convert.js';

/** Converts a value to the input of @hawser/json. Throws for a value without a JSON form. */
function toPlain(value: GoValue, budget: Budget): unknown {
  budget.charge(elementCost);
  if (isNil(value) || isNilList(value)) return null;
  if (typeof value === 'string') {
    budget.charge(value.length);
    return toText(value);
  }
  if (typeof value === 'boolean') return value;
  const number = numberView(value);
  if (number !== undefined) return number.value;
  if (isList(value)) return value.map((item) => toPlain(item, budget));
  if (isMap(value)) {
    const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(value)) result[toText(key)] = toPlain(value[key], budget);
    return result;
  }
  if (!(value instanceof GoObject)) throw new Error('a function has no JSON form');
  const text = value.json ?? value.text;
  if (text !== undefined) return text();
  return toPlain(value.fields, budget);
}

/** A value as Go's `encoding/json` writes it. */
export function jsonOf(value: GoValue, budget: Budget): string {
  return canonical(toPlain(value, budget));
}

function fromPlain(value: unknown): GoValue {
  if (typeof value === 'number' || typeof value === 'bigint') return float64(Number(value));
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  const result = newMap();
  for (const [key, item] of Object.entries(value as object)) result[key] = fromPlain(item);
  return result;
}

/** Indents by two spaces per level, like Go. */
function pretty(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return canonical(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`;
  }
  const keys = sortedKeys(value as Record<string, GoValue>);
  if (keys.length === 0) return '{}';
  return `{\n${keys.map((key) => `${inner}${canonical(key)}: ${pretty((value as Record<string, unknown>)[key], inner)}`).join(',\n')}\n${indent}}`;
}

function decode(text: string): GoValue {
  try {
    return fromPlain(parse(toText(text)));
  } catch {
    // The parser's message would quote the text.
    throw new Error('the text is not JSON');
  }
}

function orElse(attempt: () => GoValue, fallback: GoValue): GoValue {
  try {
    return attempt();
  } catch (error) {
    // A value without a JSON form gives a TypeError, unreadable text an Error of this file; limit errors pass through.
    if (error instanceof TypeError || (error instanceof Error && error.message === 'the text is not JSON'))
      return fallback;
    throw error;
  }
}

export const json: FunctionMap = {
  fromJson: fn(['string'], (text) => orElse(() => decode(text), undefined)),
  mustFromJson: fn(['string'], decode),
  toJson: fn(['any'], (value, { budget }) => orElse(() => jsonOf(value, budget), '')),
  mustToJson: fn(['any'], (value, { budget }) => jsonOf(value, budget)),
  toPrettyJson: fn(['any'], (value, { budget }) => orElse(() => pretty(toPlain(value, budget), ''), '')),
  mustToPrettyJson: fn(['any'], (value, { budget }) => pretty(toPlain(value, budget), '')),
  toRawJson: fn(['any'], (value, { budget }) => canonical(toPlain(value, budget), { escapeHtml: false })),
  mustToRawJson: fn(['any'], (value, { budget }) => canonical(toPlain(value, budget), { escapeHtml: false })),
};
