import { parse } from '@hawser/json';
import type { DeleteResult, WatchEvent } from './client.js';
import { MalformedError } from './malformed-error.js';
import { type UnusableObject, isFields, metadataProblem, unusable } from './metadata.js';
import type { KubeList, KubeObject, Status } from './object.js';
import { asStatus } from './status-error.js';

/** Called with each unusable object, to keep the others usable. */
type OnUnusable = (unusable: UnusableObject) => void;

export function parseJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // Without the cause: V8 quotes the text in its message, and the text may be a Secret.
    throw new MalformedError(`the answer is not JSON (${text.length} characters)`);
  }
}

export function asObject<T extends KubeObject>(value: unknown): T {
  const problem = objectProblem(value);
  if (problem !== undefined) throw new MalformedError(`the answer ${problem}`);
  return value as T;
}

function objectProblem(value: unknown): string | undefined {
  if (!isFields(value)) return 'is not an object';
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return 'has no apiVersion and kind';
  if (!isFields(metadata)) return `is an object of kind ${kind.slice(0, LONGEST_KIND)} without metadata`;
  const problem = metadataProblem(metadata);
  return problem === undefined ? undefined : `is an object of kind ${kind.slice(0, LONGEST_KIND)} whose ${problem}`;
}

const LONGEST_KIND = 64;

/**
 * Decodes a list. Items of a typed list lack apiVersion and kind: both come from the list. `onUnusable` receives the
 * unusable items, and the result omits them. Without it, one such item makes the whole list unusable.
 */
export function asList<T extends KubeObject>(value: unknown, onUnusable?: OnUnusable): KubeList<T> {
  if (!isFields(value)) throw new MalformedError('the answer is not a list');
  const { apiVersion, kind, metadata, items } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || kind === 'Status')
    throw new MalformedError('the answer is not a list');
  // Go encodes an empty list as null.
  const list: unknown = items ?? [];
  if (!Array.isArray(list)) throw new MalformedError(`the answer, a ${kind.slice(0, LONGEST_KIND)}, has no items`);
  // A custom resource may name its list kind freely, but its items carry their kind.
  const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind;
  const usable = (list as unknown[]).filter((item) => {
    if (isFields(item)) {
      item['apiVersion'] ??= apiVersion;
      item['kind'] ??= itemKind;
    }
    const problem = objectProblem(item) ?? (isNamed(item) ? undefined : 'has no name');
    if (problem === undefined) return true;
    if (onUnusable === undefined) throw new MalformedError(`an item of the ${kind.slice(0, LONGEST_KIND)} ${problem}`);
    onUnusable(unusable(item, `an item of the list ${problem}`, apiVersion, itemKind));
    return false;
  });
  return { metadata: listMetadata(metadata ?? {}), items: usable as T[] };
}

function isNamed(object: unknown): boolean {
  const {
    metadata: { name },
  } = object as KubeObject;
  return typeof name === 'string' && name !== '';
}

function listMetadata(metadata: unknown): KubeList<KubeObject>['metadata'] {
  if (!isFields(metadata)) throw new MalformedError('the metadata of the list is malformed');
  const { resourceVersion, continue: next } = metadata;
  if (!isTextOrNothing(resourceVersion) || !isTextOrNothing(next))
    throw new MalformedError('the metadata of the list is malformed');
  return metadata;
}

const isTextOrNothing = (value: unknown): boolean => value === undefined || typeof value === 'string';

/**
 * Decodes the answer to a DELETE. The server sends a Status when the object is gone, or the object while it waits for
 * finalizers or a grace period. Some types answer with the object although it is gone; it then has neither.
 */
export function asDeleteResult(value: unknown): DeleteResult {
  const status = asStatus(value);
  if (status !== undefined) return { kind: 'gone', status };
  const object = asObject<KubeObject>(value);
  const { deletionTimestamp, finalizers } = object.metadata;
  return deletionTimestamp === undefined && (finalizers ?? []).length === 0
    ? { kind: 'gone' }
    : { kind: 'terminating', object };
}

/**
 * Decodes one line of a watch. An ERROR is returned as its Status. `onUnusable` receives an unusable object, and its
 * event becomes a bookmark; without it the line is unusable.
 */
export function asWatchEvent<T extends KubeObject>(
  line: string,
  onUnusable?: OnUnusable,
): { readonly event: WatchEvent<T> } | { readonly status: Status } {
  const value = parseJson(line);
  if (!isFields(value) || !isFields(value['object'])) throw new MalformedError('a line of the watch is not an event');
  const { type, object } = value;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const problem = objectProblem(object) ?? (isNamed(object) ? undefined : 'has no name');
      if (problem === undefined) return { event: { type, object: object as unknown as T } };
      // The cache must not keep a deleted object: fail, and relist.
      if (onUnusable === undefined || type === 'DELETED') throw new MalformedError(`the object of an event ${problem}`);
      onUnusable(
        unusable(object, `the object of an event ${problem}`, textOf(object['apiVersion']), textOf(object['kind'])),
      );
      return bookmark(isFields(object['metadata']) ? object['metadata']['resourceVersion'] : undefined);
    }
    case 'BOOKMARK':
      if (!isFields(object['metadata'])) throw new MalformedError('a bookmark of the watch has no metadata');
      if (metadataProblem(object['metadata']) !== undefined)
        throw new MalformedError('the metadata of a bookmark is malformed');
      return {
        event: { type, object: object as unknown as Extract<WatchEvent<T>, { readonly type: 'BOOKMARK' }>['object'] },
      };
    case 'ERROR':
      return { status: asStatus(object) ?? { kind: 'Status', code: 500, message: 'the watch failed' } };
    default:
      throw new MalformedError('a line of the watch is an event of unknown type');
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function bookmark(resourceVersion: unknown): { readonly event: WatchEvent<never> } {
  return {
    event: { type: 'BOOKMARK', object: { metadata: typeof resourceVersion === 'string' ? { resourceVersion } : {} } },
  };
}
