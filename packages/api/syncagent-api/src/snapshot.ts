import type { UnstructuredObject } from '@hawser/client';
import { isRecord } from '@hawser/crd';
import { canonical, parse } from '@hawser/json';
import { stripMetadata } from './strip-metadata.js';

/**
 * The synced part of `object`, as the snapshot keeps it: without reserved metadata and without the fields of
 * `subresources`.
 */
export function carriedPart(object: UnstructuredObject, subresources: readonly string[]): UnstructuredObject {
  const stripped = stripMetadata(object);
  if (!subresources.some((name) => Object.hasOwn(stripped, name))) return stripped;
  return Object.fromEntries(
    Object.entries(stripped).filter(([name]) => !subresources.includes(name)),
  ) as unknown as UnstructuredObject;
}

/**
 * The text of a snapshot, byte for byte as the Go agent writes it (spec/api-syncagent.md §11.2). `part`: see {@link
 * carriedPart}.
 */
export function encodeSnapshot(part: UnstructuredObject): string {
  return canonical(part);
}

/**
 * Parses a snapshot; undefined if it is not an object, which counts as no snapshot. Removes keys that the Go agent did
 * not reserve.
 */
export function decodeSnapshot(text: string): UnstructuredObject | undefined {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return undefined;
  }
  return isRecord(value) && isRecord(value['metadata'])
    ? stripMetadata(value as unknown as UnstructuredObject)
    : undefined;
}
