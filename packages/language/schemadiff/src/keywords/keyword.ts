import type { ChangeKind } from '../classification.js';
import type { SchemaNode } from '../definition.js';

/** Compares two schemas of one place, and all that is below. */
export type Compare = (before: SchemaNode, after: SchemaNode, path: string) => void;

export interface Place {
  readonly path: string;
  readonly report: (kind: ChangeKind, path: string, message: string) => void;
  /** For a place further down. */
  readonly compare: Compare;
}

/** One keyword, or several that belong together. */
export type Keyword = (before: SchemaNode, after: SchemaNode, place: Place) => void;

/** The schema of a value that may be anything, and is kept whole. */
export const anything: SchemaNode = { 'x-kubernetes-preserve-unknown-fields': true };

const plain = /^[A-Za-z_][\w-]*$/u;

/** The path of a field, as JSONPath has it. */
export function join(path: string, name: string): string {
  if (!plain.test(name) && name !== '*')
    return `${path}['${name.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}']`;
  return path === '' ? name : `${path}.${name}`;
}

/** A value in a message. */
export function text(value: unknown): string {
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}

/** Whether a keyword says nothing, as an empty one does. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
