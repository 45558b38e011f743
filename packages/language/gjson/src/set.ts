import { isObject, type JsonValue } from '@hawser/json';
import { DocumentNode, type Location } from './node/document-node.js';
import { PathError } from './path-error.js';
import { evaluate } from './path/evaluate.js';
import { type SetComponent, parseSetPath } from './path/set-component.js';

/** Longest gap of missing array elements to fill with null. */
const LONGEST_GAP = 10_000;

/**
 * The document with a value set at a path in the syntax of sjson 1.2.5. Creates missing parents and replaces a scalar
 * on the way. A complex path (one with `|`, `#`, `@`, `*` or `?`) sets every value that it finds, and creates none.
 * Does not change the document; the result shares its unchanged parts.
 *
 * @throws {PathError} for an empty path, for a key where there is an array, and for an index far behind the end of an
 * array
 */
export function set(document: JsonValue, path: string, value: JsonValue): JsonValue {
  if (path === '') throw new PathError('EmptyPath', path, 'the path is empty');
  const components = parseSetPath(path);
  if (components !== undefined) return setAt(document, components, value, path);
  let result = document;
  for (const node of evaluate(new DocumentNode(document), path).origins) {
    // A whole document has no place to set.
    if (node instanceof DocumentNode && node.parent !== undefined) result = replaceAt(result, node.location, value);
  }
  return result;
}

/**
 * The document without the value at a path; the document itself if there is none. `-1` is the last element of an array.
 *
 * @throws {PathError} for an empty path and for a complex one
 */
export function remove(document: JsonValue, path: string): JsonValue {
  if (path === '') throw new PathError('EmptyPath', path, 'the path is empty');
  const components = parseSetPath(path);
  if (components === undefined)
    throw new PathError(
      'ComplexDelete',
      path,
      `nothing can be deleted at ${path}: it is not a plain path of keys and indexes`,
    );
  return removeAt(document, components);
}

const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
function setAt(
  current: JsonValue,
  [component, ...rest]: readonly SetComponent[],
  value: JsonValue,
  path: string,
): JsonValue {
  if (component === undefined) return value;
  const child = childOf(current, component);
  if (child !== undefined) return withMember(current, child.at, setAt(child.value, rest, value, path));
  if (isObject(current)) return withMember(current, component.key, build(rest, value, path));
  if (isArray(current)) {
    if (component.index === undefined && !component.isEnd) {
      throw new PathError(
        'NoIndex',
        path,
        `nothing can be set at ${path}: ${JSON.stringify(component.key)} is not an index, and there is an array`,
      );
    }
    return [...padded(current, component, path), build(rest, value, path)];
  }
  // Replaces a scalar on the way, by an array only for a number.
  return component.index === undefined
    ? withMember({}, component.key, build(rest, value, path))
    : [...padded([], component, path), build(rest, value, path)];
}

function build([component, ...rest]: readonly SetComponent[], value: JsonValue, path: string): JsonValue {
  if (component === undefined) return value;
  const inner = build(rest, value, path);
  return component.index === undefined && !component.isEnd
    ? withMember({}, component.key, inner)
    : [...padded([], component, path), inner];
}

function padded(items: readonly JsonValue[], { index = 0 }: SetComponent, path: string): readonly JsonValue[] {
  const gap = index - items.length;
  if (gap > LONGEST_GAP)
    throw new PathError(
      'TooFar',
      path,
      `nothing can be set at ${path}: it is more than ${LONGEST_GAP} elements behind the end of the array`,
    );
  return gap > 0 ? [...items, ...new Array<null>(gap).fill(null)] : items;
}

interface Child {
  readonly at: string | number;
  readonly value: JsonValue;
}

function childOf(current: JsonValue, { key, present }: SetComponent): Child | undefined {
  if (isArray(current)) {
    const value = present === undefined ? undefined : current[present];
    return present === undefined || value === undefined ? undefined : { at: present, value };
  }
  const value = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return value === undefined ? undefined : { at: key, value };
}

function removeAt(current: JsonValue, [component, ...rest]: readonly SetComponent[]): JsonValue {
  if (component === undefined) return current;
  const last: SetComponent =
    isArray(current) && component.isEnd ? { ...component, present: current.length - 1 } : component;
  const child = childOf(current, last);
  if (child === undefined) return current;
  if (rest.length === 0)
    return isArray(current) ? current.toSpliced(Number(child.at), 1) : withoutKey(current, child.at);
  const removed = removeAt(child.value, rest);
  return removed === child.value ? current : withMember(current, child.at, removed);
}

function replaceAt(current: JsonValue, [key, ...rest]: Location, value: JsonValue): JsonValue {
  if (key === undefined) return value;
  const child = isArray(current) ? current[Number(key)] : isObject(current) ? current[key] : undefined;
  return child === undefined ? current : withMember(current, key, replaceAt(child, rest, value));
}

/** A copy with one member replaced. `__proto__` is an ordinary key. */
function withMember(container: JsonValue, key: string | number, value: JsonValue): JsonValue {
  if (isArray(container)) return container.with(Number(key), value);
  const copy: Record<string, JsonValue | undefined> = isObject(container) ? { ...container } : {};
  Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

function withoutKey(container: JsonValue, key: string | number): JsonValue {
  return isObject(container)
    ? Object.fromEntries(Object.entries(container).filter(([name]) => name !== key))
    : container;
}
