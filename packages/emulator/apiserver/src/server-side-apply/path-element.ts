import { isObject, type JsonValue, parse, stringify } from '@hawser/json';
import { compareStrings, compareValues } from './compare-values.js';
import { entriesOf } from './entries.js';
import { SetError } from './set-error.js';

/** A step into a value: a map's field, or a list item by its keys, by its value (of a set), or by its index. */
export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  /** Sorted by name. */
  | { readonly kind: 'key'; readonly keys: readonly KeyField[] }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number };

export interface KeyField {
  readonly name: string;
  readonly value: JsonValue;
}

export type Path = readonly PathElement[];

export const field = (name: string): PathElement => ({ kind: 'field', name });

export const item = (...keys: readonly KeyField[]): PathElement => ({
  kind: 'key',
  keys: [...keys].sort((a, b) => compareStrings(a.name, b.name)),
});

/** The path of nested fields. */
export const fieldPath = (...names: readonly string[]): Path => names.map(field);

const order = { field: 0, key: 1, value: 2, index: 3 } as const;

/** The order of elements in fieldsV1: fields, keys, values, indexes, each sorted among themselves. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareStrings(a.name, b.name);
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.keys, b.keys);
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value);
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  return order[a.kind] - order[b.kind];
}

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (let position = 0; ; position++) {
    const left = a[position];
    const right = b[position];
    if (left === undefined || right === undefined) return a.length - b.length;
    const difference = compareStrings(left.name, right.name) || compareValues(left.value, right.value);
    if (difference !== 0) return difference;
  }
}

/** As a key of fieldsV1: `f:spec`, `k:{"name":"a"}`, `v:"x"`, `i:0`. Equal elements have equal keys. */
export function serializeElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `f:${element.name}`;
    case 'key':
      return `k:{${element.keys.map(({ name, value }) => `${JSON.stringify(name)}:${stringify(value)}`).join(',')}}`;
    case 'value':
      return `v:${stringify(element.value)}`;
    case 'index':
      return `i:${element.index}`;
  }
}

/**
 * Reads a key of fieldsV1. `undefined` for an unknown type of element: it is ignored, since a later server may know it.
 * @throws SetError for a malformed key.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SetError('key must be 2 characters long:');
  if (text[1] !== ':') throw new SetError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text.slice(0, 1)) {
    case 'f':
      return { kind: 'field', name: content };
    case 'v':
      return { kind: 'value', value: parseContent(content) };
    case 'k': {
      const keys = parseContent(content);
      if (!isObject(keys)) throw new SetError(`no keys: ${text}`);
      return item(...entriesOf(keys).map(([name, value]) => ({ name, value })));
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(content)) throw new SetError(`no index: ${text}`);
      return { kind: 'index', index: Number(content) };
    default:
      return undefined;
  }
}

function parseContent(text: string): JsonValue {
  try {
    return parse(text);
  } catch (cause) {
    throw new SetError(`no JSON: ${text}`, { cause });
  }
}

/** Text for messages: `.spec.list[name="a"].ports[=80]`. */
export function pathText(path: Path): string {
  return path.map(elementText).join('');
}

export function elementText(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.keys.map(({ name, value }) => `${name}=${stringify(value)}`).join(',')}]`;
    case 'value':
      return `[=${stringify(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}
