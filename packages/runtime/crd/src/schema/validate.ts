import { type JsonValue, canonical } from '@hawser/json';
import { equal } from '@hawser/json';
import type { Rule, SchemaNode, SchemaType } from './node.js';
import { withDefaults } from './defaulting.js';
import { fieldSchema, isRecord } from './prune.js';

/** A reason for which the API server would refuse a value. */
export interface Problem {
  /** `spec.versions[0].name`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Finds all problems of `value`. Fields that the schema does not know are no problem: the server drops them. */
export function validateValue(node: SchemaNode, value: unknown, path = ''): readonly Problem[] {
  const problems: Problem[] = [];
  visit(node, withDefaults(node, value), path, problems);
  return problems;
}

/**
 * Finds the first value of a wrong type, or the first missing field that is required and has no default. Checks nothing
 * else, so it is cheap. Like the server, treats null as a value of no type.
 */
export function typeProblem(node: SchemaNode, value: unknown, path = ''): Problem | undefined {
  const type = typeOf(value);
  if (type !== node.type) return { path, message: `must be of type ${node.type}, is ${type}` };
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return undefined;
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const problem = typeProblem(items, item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
  } else if (isRecord(value)) {
    for (const name of node.required ?? [])
      if (value[name] === undefined && node.properties?.[name]?.default === undefined)
        return { path: join(path, name), message: 'is required' };
    for (const [name, field] of Object.entries(value)) {
      const schema = field === undefined ? undefined : fieldSchema(node, name);
      const problem = schema === undefined ? undefined : typeProblem(schema, field, join(path, name));
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/**
 * Finds all forbidden changes between `before` and `after`. Lists that are not list-maps are compared only as a whole.
 */
export function validateTransition(node: SchemaNode, before: unknown, after: unknown, path = ''): readonly Problem[] {
  const problems: Problem[] = [];
  compare(node, withDefaults(node, before), withDefaults(node, after), path, problems);
  return problems;
}

function visit(node: SchemaNode, value: unknown, path: string, problems: Problem[]): void {
  const type = typeOf(value);
  if (type !== node.type) {
    problems.push({ path, message: `must be of type ${node.type}, is ${type}` });
    return;
  }
  const count = problems.length;
  const complain = (message: string): void => {
    problems.push({ path, message });
  };
  if (typeof value === 'string') checkString(node, value, complain);
  else if (typeof value === 'number' || typeof value === 'bigint') checkInteger(node, value, complain);
  else if (Array.isArray(value)) {
    checkList(node, value, complain);
    const { items } = node;
    if (items !== undefined)
      value.forEach((item: unknown, index) => {
        visit(items, item, `${path}[${index}]`, problems);
      });
  } else if (isRecord(value)) {
    for (const name of node.required ?? [])
      if (!Object.hasOwn(value, name)) problems.push({ path: join(path, name), message: 'is required' });
    for (const [name, field] of Object.entries(value)) {
      const known = fieldSchema(node, name);
      if (known !== undefined) visit(known, field, join(path, name), problems);
    }
  }
  // Like the server: rules run only on values of the right shape.
  if (problems.length > count) return;
  for (const rule of node.rules ?? []) if (rule.kind === 'invariant' && !rule.holds(value)) complain(rule.message);
}

function checkString(node: SchemaNode, value: string, complain: (message: string) => void): void {
  // Counts characters as Go does.
  const length = Array.from(value).length;
  if (node.enum?.includes(value) === false) complain(`must be one of ${node.enum.join(', ')}`);
  if (node.minLength !== undefined && length < node.minLength)
    complain(`must have at least ${node.minLength} characters`);
  if (node.maxLength !== undefined && length > node.maxLength)
    complain(`must have at most ${node.maxLength} characters`);
  if (node.pattern !== undefined && !new RegExp(node.pattern, 'u').test(value)) complain(`must match ${node.pattern}`);
  if (!hasFormat(node.format, value)) complain(`must be a ${node.format ?? ''}`);
}

function checkInteger(node: SchemaNode, value: number | bigint, complain: (message: string) => void): void {
  if (node.minimum !== undefined && value < node.minimum) complain(`must be at least ${node.minimum}`);
  if (node.format === 'int32' && (value > 0x7fffffff || value < -0x80000000)) complain('must be a 32-bit integer');
}

function checkList(node: SchemaNode, value: readonly unknown[], complain: (message: string) => void): void {
  if (node.minItems !== undefined && value.length < node.minItems)
    complain(`must have at least ${node.minItems} entries`);
  if (node.set === true && new Set(value.map((item) => canonical(item as JsonValue))).size < value.length)
    complain('has two equal entries');
  if (node.listMapKeys === undefined) return;
  const seen = new Set<string>();
  for (const item of value) {
    const key = keyOf(item, node.listMapKeys);
    if (seen.has(key)) complain(`has two entries with ${node.listMapKeys.join(' and ')} ${key}`);
    seen.add(key);
  }
}

function compare(node: SchemaNode, before: unknown, after: unknown, path: string, problems: Problem[]): void {
  for (const rule of node.rules ?? []) {
    if (!isKept(rule, before, after)) problems.push({ path, message: rule.message });
  }
  if (isRecord(before) && isRecord(after)) {
    for (const name of Object.keys(before)) {
      const known = fieldSchema(node, name);
      if (known !== undefined && Object.hasOwn(after, name))
        compare(known, before[name], after[name], join(path, name), problems);
    }
  }
}

function isKept(rule: Rule, before: unknown, after: unknown): boolean {
  switch (rule.kind) {
    case 'immutable':
      return equal(before, after);
    case 'pinned':
      return before === '' || equal(before, after);
    case 'settled':
      return sameFields(rule.fields, before, after);
    case 'invariant':
      return true;
  }
}

function sameFields(names: readonly string[], before: unknown, after: unknown): boolean {
  return (
    !isRecord(before) ||
    !isRecord(after) ||
    names.every((name) => Object.hasOwn(before, name) === Object.hasOwn(after, name))
  );
}

function typeOf(value: unknown): SchemaType | 'number' | 'null' | 'nothing' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'object':
      return 'object';
    case 'undefined':
    case 'function':
    case 'symbol':
      break;
  }
  return 'nothing';
}

function hasFormat(format: SchemaNode['format'], value: string): boolean {
  switch (format) {
    case 'date-time':
      return rfc3339.test(value) && !Number.isNaN(Date.parse(value));
    case 'byte':
      return value !== '' && base64.test(value);
    case 'uri':
      return URL.canParse(value) || value.startsWith('/');
    case 'int32':
    case 'int64':
    case undefined:
      return true;
  }
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/u;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

function keyOf(item: unknown, keys: readonly string[]): string {
  return canonical(keys.map((key) => (isRecord(item) ? (item[key] as JsonValue | undefined) : undefined) ?? null));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
