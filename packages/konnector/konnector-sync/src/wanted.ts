import { createHash } from 'node:crypto';

import type { UnstructuredObject } from '@hawser/client';
import { type JsonObject, type JsonValue, canonical } from '@hawser/json';

import type { Path } from './difference.js';
import { isCarriedAnnotation } from './marks.js';

/** The part of a consumer object that its copy must have: what users write, without what a cluster adds. */
export interface Wanted {
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  /** Top-level fields other than apiVersion, kind, metadata and status; `spec` is one of them. */
  readonly fields: JsonObject;
}

const NOT_CARRIED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/**
 * The wanted content of the copy of `consumer`. With `labelsOfCopy`: these labels, no annotations, and the fields; see
 * `PairMarks`. Otherwise all labels, all annotations but bookkeeping ones, and every top-level field except `status`,
 * which is the provider's.
 */
export function wantedOf(consumer: UnstructuredObject, labelsOfCopy?: Readonly<Record<string, string>>): Wanted {
  const annotations: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(consumer.metadata.annotations ?? {})) {
    if (labelsOfCopy === undefined && isCarriedAnnotation(key)) annotations.push([key, value]);
  }
  const fields: [string, JsonValue][] = [];
  for (const key of Object.keys(consumer)) {
    const value = consumer[key];
    if (!NOT_CARRIED.has(key) && value !== undefined) fields.push([key, value as JsonValue]);
  }
  return {
    labels: labelsOfCopy ?? consumer.metadata.labels ?? {},
    annotations: Object.fromEntries(annotations),
    fields: Object.fromEntries(fields),
  };
}

/** The same parts of the actual copy. */
export function actualOf(copy: UnstructuredObject, labelsOfCopy?: Readonly<Record<string, string>>): Wanted {
  if (labelsOfCopy === undefined) return wantedOf(copy);
  const labels = Object.entries(copy.metadata.labels ?? {}).filter(([key]) => Object.hasOwn(labelsOfCopy, key));
  return wantedOf(copy, Object.fromEntries(labels));
}

/**
 * SHA-256 (first 128 bits, hex) over the content with sorted keys: equal contents have equal hashes, whatever the order
 * of their keys. With a `salt` only hashes of the same salt are comparable, so a hash does not reveal the content of a
 * Secret by comparison.
 */
export function wantedHash(wanted: Wanted, salt = ''): string {
  return createHash('sha256')
    .update(salt)
    .update(canonical({ labels: wanted.labels, annotations: wanted.annotations, fields: wanted.fields }))
    .digest('hex')
    .slice(0, 32);
}

/** The value at `path`, from the root of an object; wanted content keeps labels and annotations apart. */
export function valueAt(wanted: Wanted, path: Path): JsonValue | undefined {
  const [first, section, ...rest] = path;
  let node: JsonValue | undefined = wanted.fields;
  let keys = path;
  if (first === 'metadata' && (section === 'labels' || section === 'annotations')) {
    node = wanted[section];
    keys = rest;
  }
  for (const key of keys) {
    if (typeof node !== 'object' || node === null || Array.isArray(node) || !Object.hasOwn(node, key)) return undefined;
    node = (node as JsonObject)[key];
  }
  return node;
}
