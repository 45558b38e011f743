import type { ObjectKey, Resource } from './object.js';

/** The path of a collection, below the server's URL. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const base =
    resource.group === ''
      ? `/api/${segment('version', resource.version)}`
      : `/apis/${segment('group', resource.group)}/${segment('version', resource.version)}`;
  const scope = namespace === undefined || namespace === '' ? '' : `/namespaces/${segment('namespace', namespace)}`;
  return `${base}${scope}/${segment('resource', resource.resource)}`;
}

/** The path of one object, or of its subresource. Names are used verbatim, so `system:foo` works. */
export function objectPath(resource: Resource, key: ObjectKey, subresource?: string): string {
  const object = `${collectionPath(resource, key.namespace)}/${segment('name', key.name)}`;
  return subresource === undefined ? object : `${object}/${segment('subresource', subresource)}`;
}

/**
 * Normalises a base path: no slash at its end. Throws for an invalid path, and for one that resolves to another path.
 */
export function basePathOf(path: string): string {
  if (!/^(?:\/[\w.~:*@!$&'()+,;=-]+)*\/?$/u.test(path) || /\/\.{1,2}(?:\/|$)/u.test(path))
    throw new RangeError(`${JSON.stringify(path)} is not an absolute path`);
  return path.replace(/\/$/u, '');
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Adds the parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  let separator = path.includes('?') ? '&' : '?';
  let result = path;
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    result += `${separator}${key}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return result;
}

/**
 * Encodes a path segment. Throws for one that would reach another target: an empty name, for example, is the whole
 * collection.
 */
function segment(what: string, value: unknown): string {
  if (!canBeSegment(value)) {
    throw new RangeError(
      `the ${what} ${(JSON.stringify(value) as string | undefined) ?? 'undefined'} cannot stand in a path`,
    );
  }
  return encodeURIComponent(value.toWellFormed());
}

/**
 * Whether a value is valid as a path segment. The API server refuses the others as names too: they have a meaning in a
 * path.
 */
export function canBeSegment(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value !== '.' &&
    value !== '..' &&
    !value.includes('/') &&
    !value.includes('%')
  );
}
