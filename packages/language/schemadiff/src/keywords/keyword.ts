import type { ChangeKind } from '../classification.js';
import type { SchemaNode } from '../definition.js';

/** Compares two schemas of one place, and everything below. */
export type Compare = (before: SchemaNode, after: SchemaNode, path: string) => void;

export interface KeywordContext {
  readonly path: string;
  readonly report: (kind: ChangeKind, path: string, message: string) => void;
  /** For a nested place. */
  readonly compare: Compare;
}

/** One keyword, or several related ones. */
export type Keyword = (before: SchemaNode, after: SchemaNode, context: KeywordContext) => void;

/** The schema of an arbitrary value that is kept whole. */
export const anything: SchemaNode = { 'x-kubernetes-preserve-unknown-fields': true };

const plain = /^[A-Za-z_][\w-]*$/u;

/** JSONPath of a field. */
export function join(path: string, name: string): string {
  if (!plain.test(name) && name !== '*')
    return `${path}['${name.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}']`;
  return path === '' ? name : `${path}.${name}`;
}

/** A value's text in a message. */
export function text(value: unknown): string {
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}

/** Whether a keyword is absent or empty, and so has no effect. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
