import type { JsonValue } from '@hawser/json';
import type { Rule, SchemaNode } from './node.js';
import type { ObjectOf, OptionalSchema, Schema, Shape } from './schema.js';

interface Common {
  readonly description?: string;
}

interface StringOptions extends Common {
  readonly format?: 'date-time' | 'byte' | 'uri';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string;
}

interface ListOptions extends Common {
  readonly minItems?: number;
  readonly listMapKeys?: readonly string[];
  readonly atomic?: boolean;
  /** No two entries are the same. */
  readonly set?: boolean;
}

interface ObjectOptions extends Common {
  readonly default?: Readonly<Record<string, JsonValue>>;
  readonly atomic?: boolean;
}

const schema = <T>(node: SchemaNode): Schema<T> => ({ node });

/** Any string. */
export function string(options: StringOptions = {}): Schema<string> {
  return schema({ type: 'string', ...options });
}

/** One of `values`; the server refuses others. */
export function enumeration<const V extends string>(
  values: readonly V[],
  options: Common & { readonly default?: V } = {},
): Schema<V> {
  return schema({ type: 'string', enum: values, ...options });
}

/** A string with a narrower TypeScript type than the server checks. */
export function stringOf<T extends string>(options: StringOptions = {}): Schema<T> {
  return schema({ type: 'string', ...options });
}

/** RFC 3339 time. */
export function dateTime(options: Common = {}): Schema<string> {
  return string({ format: 'date-time', ...options });
}

export function boolean(options: Common & { readonly default?: boolean } = {}): Schema<boolean> {
  return schema({ type: 'boolean', ...options });
}

export function integer(
  options: Common & { readonly format?: 'int32' | 'int64'; readonly minimum?: number } = {},
): Schema<number> {
  return schema({ type: 'integer', ...options });
}

/** An object whose fields are not pruned. */
export function freeObject(options: ObjectOptions = {}): Schema<Readonly<Record<string, unknown>>> {
  return schema({ type: 'object', preserveUnknownFields: true, ...options });
}

/** An object without a schema for its fields. They are pruned, except those of `metadata` at the root. */
export function emptyObject(options: ObjectOptions = {}): Schema<Readonly<Record<string, never>>> {
  return schema({ type: 'object', ...options });
}

export function array<T>(items: Schema<T>, options: ListOptions = {}): Schema<readonly T[]> {
  return schema({ type: 'array', items: items.node, ...options });
}

export function map<T>(values: Schema<T>, options: ObjectOptions = {}): Schema<Readonly<Record<string, T>>> {
  return schema({ type: 'object', values: values.node, ...options });
}

export function object<P extends Shape>(shape: P, options: ObjectOptions = {}): Schema<ObjectOf<P>> {
  const properties: Record<string, SchemaNode> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    properties[name] = field.node;
    if (!isOptional(field)) required.push(name);
  }
  return schema({ type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...options });
}

/** The field may be absent. */
export function optional<T>(field: Schema<T>): OptionalSchema<T> {
  return { ...field, optional: true };
}

/** The field may be null, for clients that write it so. The server drops a null, so null means absent. */
export function nullAsAbsent<T>(field: Schema<T>): Schema<T | null> {
  return schema(field.node);
}

/** Makes the value of `field` immutable (see {@link Rule}). */
export function immutable<T>(field: Schema<T>): Schema<T> {
  return withRule(field, { kind: 'immutable', message: 'cannot be changed' });
}

/** A string that is immutable once it is not empty; the field may be removed (see {@link Rule}). */
export function pinned(field: Schema<string>): Schema<string> {
  return withRule(field, { kind: 'pinned', message: 'cannot be changed once it is set' });
}

/**
 * An object whose optional fields `names` an update neither adds nor removes; see {@link immutable}. Their names must
 * not be CEL keywords.
 */
export function settled<T>(names: readonly (keyof T & string)[], field: Schema<T>): Schema<T> {
  return withRule(field, { kind: 'settled', fields: names, message: `${names.join(', ')} cannot be added or removed` });
}

/**
 * `field` with a rule over its value: `expression` for the server, `holds` for {@link validate}. The two must agree.
 */
export function invariant<T>(
  field: Schema<T>,
  expression: string,
  message: string,
  holds: (self: T) => boolean,
): Schema<T> {
  // A rule runs only on values that passed the structural checks, so they are of type T.
  return withRule(field, { kind: 'invariant', expression, message, holds: (self) => holds(self as T) });
}

/** `field` with a description. */
export function described<T>(description: string, field: Schema<T>): Schema<T> {
  return { ...field, node: { ...field.node, description } };
}

function withRule<T>(field: Schema<T>, rule: Rule): Schema<T> {
  return { ...field, node: { ...field.node, rules: [...(field.node.rules ?? []), rule] } };
}

function isOptional(field: Schema<unknown>): boolean {
  return 'optional' in field;
}
