import { clone, equal, isObject, type JsonObject, type JsonValue } from '@hawser/json';

/** Why a JSON patch cannot be applied. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

type MutableArray = JsonValue[];
type MutableObject = Record<string, JsonValue | undefined>;
type Container = MutableArray | MutableObject;

interface PointerTarget {
  readonly container: Container;
  readonly key: string;
}

/**
 * Applies RFC 6902 operations as the API server does (evanphx/json-patch v4), more leniently than the RFC. A missing
 * value reads as null: it can be replaced, copied and tested for null. An `add` without a value adds null. Indexes may
 * be negative. Text before a path's first slash is ignored. Throws {@link JsonPatchError}. Does not change `document`.
 */
export function applyJsonPatch(document: JsonObject, operations: readonly JsonObject[]): JsonValue {
  let root = clone(document) as Container;
  for (const operation of operations) root = applied(root, operation);
  return root;
}

function applied(root: Container, operation: JsonObject): Container {
  const path = textOf(operation, 'path');
  switch (operation['op'] as string) {
    case 'add':
      add(targetOf(root, path), operation['value'] ?? null);
      return root;
    case 'remove':
      remove(targetOf(root, path));
      return root;
    case 'replace':
      if (path === '') return replacedWhole(root, operation['value'] ?? null);
      replace(targetOf(root, path), operation['value'] ?? null);
      return root;
    case 'move': {
      const from = targetOf(root, textOf(operation, 'from'));
      const value = get(from);
      remove(from);
      add(targetOf(root, path), value);
      return root;
    }
    case 'copy': {
      const value = get(targetOf(root, textOf(operation, 'from')));
      add(targetOf(root, path), clone(value));
      return root;
    }
    case 'test':
      test(root, path, operation);
      return root;
    default:
      throw new JsonPatchError('unexpected kind of operation');
  }
}

function textOf(operation: JsonObject, key: 'path' | 'from'): string {
  const value = operation[key];
  if (typeof value !== 'string') throw new JsonPatchError(`operation, missing ${key} field`);
  return value;
}

function targetOf(root: Container, path: string): PointerTarget {
  const parts = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = parts.pop();
  if (key === undefined) throw new JsonPatchError(`doc is missing path: ${path}`);
  let container = root;
  for (const part of parts) {
    const next = get({ container, key: part });
    if (typeof next !== 'object' || next === null) throw new JsonPatchError(`doc is missing path: ${path}`);
    container = next as Container;
  }
  return { container, key };
}

function get({ container, key }: PointerTarget): JsonValue {
  if (!Array.isArray(container)) return (Object.hasOwn(container, key) ? container[key] : undefined) ?? null;
  return container[existing(container, key)] ?? null;
}

function add({ container, key }: PointerTarget, value: JsonValue): void {
  if (!Array.isArray(container)) put(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(indexIn(key, container.length + 1), 0, value);
}

function remove({ container, key }: PointerTarget): void {
  if (Array.isArray(container)) {
    container.splice(existing(container, key), 1);
    return;
  }
  if (!Object.hasOwn(container, key)) throw new JsonPatchError(`unable to remove nonexistent key: ${key}`);
  Reflect.deleteProperty(container, key);
}

function replace({ container, key }: PointerTarget, value: JsonValue): void {
  if (Array.isArray(container)) container[existing(container, key)] = value;
  else put(container, key, value);
}

/** Ignores anything but an object or a list. */
function replacedWhole(root: Container, value: JsonValue): Container {
  return typeof value === 'object' && value !== null ? (clone(value) as Container) : root;
}

function test(root: Container, path: string, operation: JsonObject): void {
  const actual = path === '' ? (root as JsonValue) : get(targetOf(root, path));
  if (!Object.hasOwn(operation, 'value') || !equal(actual, operation['value']))
    throw new JsonPatchError(`testing value ${path} failed`);
}

function existing(list: MutableArray, key: string): number {
  return indexIn(key, list.length);
}

function indexIn(key: string, length: number): number {
  const index = /^[+-]?\d+$/u.test(key) ? Number(key) : Number.NaN;
  const found = index < 0 ? index + length : index;
  if (found >= 0 && found < length) return found;
  throw new JsonPatchError(`unable to access invalid index: ${key}`);
}

/** Keys are data: `__proto__` is an ordinary key. */
function put(container: MutableObject, key: string, value: JsonValue): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether a document is a list of operations. */
export function areOperations(value: readonly JsonValue[]): value is readonly JsonObject[] {
  return value.every(isObject);
}
