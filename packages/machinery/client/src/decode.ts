import { parse } from '@hawser/json';
import type { DeleteResult, WatchEvent } from './client.js';
import { MalformedError } from './malformed-error.js';
import type { KubeList, KubeObject, Status } from './object.js';
import { isStatus } from './status-error.js';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // Without the cause: V8 quotes the text in its message, and the text may be a Secret.
    throw new MalformedError(`the answer is not JSON (${text.length} characters)`);
  }
}

export function asObject<T extends KubeObject>(value: unknown): T {
  if (!isFields(value)) throw new MalformedError('the answer is no object');
  if (typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') throw new MalformedError('the answer has no apiVersion and kind');
  if (!isFields(value['metadata'])) throw new MalformedError(`the answer, a ${value['kind']}, has no metadata`);
  return value as unknown as T;
}

/** The items of a typed list come without apiVersion and kind: those of the list tell. */
export function asList<T extends KubeObject>(value: unknown): KubeList<T> {
  if (!isFields(value)) throw new MalformedError('the answer is no list');
  const { apiVersion, kind, metadata, items } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || kind === 'Status') throw new MalformedError('the answer is no list');
  // Go writes an empty list that was never filled as null.
  const list: unknown = items ?? [];
  if (!Array.isArray(list) || !isFields(metadata ?? {})) throw new MalformedError(`the answer, a ${kind}, has no items`);
  // A custom resource may call its list anything, but its items carry their kind.
  const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind;
  for (const item of list as unknown[]) {
    if (!isFields(item) || !isFields(item['metadata'])) throw new MalformedError(`an item of the ${kind} has no metadata`);
    item['apiVersion'] ??= apiVersion;
    item['kind'] ??= itemKind;
  }
  return { metadata: (metadata ?? {}), items: list as T[] };
}

/**
 * A DELETE is answered with a Status when the object has gone, with the object when it waits for finalizers or a grace period; some types are
 * answered with the object although it has gone, and then have neither.
 */
export function asDeleteResult(value: unknown): DeleteResult {
  if (isStatus(value)) return { kind: 'gone', status: value };
  const object = asObject<KubeObject>(value);
  const { deletionTimestamp, finalizers } = object.metadata;
  return deletionTimestamp === undefined && (finalizers ?? []).length === 0 ? { kind: 'gone' } : { kind: 'terminating', object };
}

/** One line of a watch. An ERROR is returned as its Status. */
export function asWatchEvent<T extends KubeObject>(line: string): { readonly event: WatchEvent<T> } | { readonly status: Status } {
  const value = parseJson(line);
  if (!isFields(value) || !isFields(value['object'])) throw new MalformedError('a line of the watch is no event');
  const { type, object } = value;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { event: { type, object: asObject<T>(object) } };
    case 'BOOKMARK':
      if (!isFields(object['metadata'])) throw new MalformedError('a bookmark of the watch has no metadata');
      return { event: { type, object: object as unknown as Extract<WatchEvent<T>, { readonly type: 'BOOKMARK' }>['object'] } };
    case 'ERROR':
      return { status: isStatus(object) ? object : { kind: 'Status', code: 500, message: 'the watch failed' } };
    default:
      throw new MalformedError('a line of the watch is an event of unknown type');
  }
}
