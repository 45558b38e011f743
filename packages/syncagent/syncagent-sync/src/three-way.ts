import type { UnstructuredObject } from '@hawser/client';
import { applyMergePatch, createMergePatch, equal, isObject, type JsonObject } from '@hawser/json';
import { carriedPart } from '@hawser/syncagent-api';

import { AGENT_NAME } from './marks.js';
import type { Marks } from './observed.js';

/** Fields that differ between the sides. */
const NOT_CONTENT: ReadonlySet<string> = new Set(['apiVersion', 'kind']);
const NOT_CARRIED: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'generateName',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

/**
 * The changes of the source since `last`, as a merge patch for the destination. Fields that only the destination has
 * stay. So do edits there until the source changes the same field (`spec/api-syncagent.md §11.7`). Undefined: no
 * change.
 */
export function changesSince(
  last: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): JsonObject | undefined {
  const patch = createMergePatch(content(last, subresources), content(wanted, subresources)) as JsonObject | undefined;
  return patch === undefined || Object.keys(patch).length === 0 ? undefined : patch;
}

/** Whether the destination has all content of the source, whatever else it has. */
export function covers(
  destination: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): boolean {
  return lacking(destination, wanted, subresources) === undefined;
}

/**
 * Whether both have exactly the same content, except what each side keeps for itself. Empty and null fields count as
 * absent.
 */
export function hasSameContent(
  one: UnstructuredObject,
  other: UnstructuredObject,
  subresources: readonly string[],
): boolean {
  return equal(sharedContent(one, subresources), sharedContent(other, subresources));
}

/**
 * The content of an object for the other side: without what each side keeps for itself, and without empty or null
 * top-level fields.
 */
export function sharedContent(object: UnstructuredObject, subresources: readonly string[]): JsonObject {
  const { metadata, ...fields } = content(carriedPart(object, subresources), subresources);
  const { labels, annotations } = metadata as JsonObject;
  const all: JsonObject = { ...fields, metadata: { labels, annotations } };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null && !(isObject(value) && Object.keys(value).length === 0)),
  );
}

/**
 * The source's content that the destination lacks, as a merge patch: fields that only the destination has stay.
 * Undefined: it lacks nothing.
 */
export function lacking(
  destination: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): JsonObject | undefined {
  const { metadata, ...fields } = content(wanted, subresources);
  const { labels = {}, annotations = {} } = destination.metadata;
  const patch = absent({ ...destination, metadata: { labels, annotations } }, { ...fields, metadata: metadata ?? {} });
  return isObject(patch) && Object.keys(patch).length > 0 ? patch : undefined;
}

/** Undefined: nothing is missing. A null field cannot be patched: it counts as absent. */
function absent(present: unknown, wanted: unknown): unknown {
  if (!isObject(wanted)) return equal(present, wanted) ? undefined : wanted;
  if (!isObject(present)) return wanted;
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(wanted)) {
    const there = own(present, key);
    const change = value === null && there === undefined ? undefined : absent(there, value);
    if (change !== undefined) setOwn(patch, key, change);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * The patch if the last pushed content is unknown: each top-level field of the source replaces the destination's;
 * labels and annotations are added. Undefined: the destination has them all.
 */
export function replacement(
  wanted: UnstructuredObject,
  destination: UnstructuredObject,
  subresources: readonly string[],
): JsonObject | undefined {
  const { metadata, ...fields } = content(wanted, subresources);
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const change = createMergePatch(own(destination, key), value);
    if (change !== undefined) setOwn(patch, key, change);
  }
  const maps = metadata as Readonly<Record<string, JsonObject>> | undefined;
  const added = createMergePatch(
    {},
    {
      labels: missing(destination.metadata.labels, maps?.['labels']),
      annotations: missing(destination.metadata.annotations, maps?.['annotations']),
    },
  );
  if (added !== undefined) patch['metadata'] = added;
  return Object.keys(patch).length === 0 ? undefined : (patch as JsonObject);
}

/** The ownership labels and annotations that are missing or wrong on a copy. */
export function missingMarks(
  destination: UnstructuredObject,
  { labels: identity, annotations: names, agentName }: Marks,
): JsonObject | undefined {
  const labels = missing(destination.metadata.labels, { ...identity, ...agentLabel(agentName) });
  const annotations = missing(destination.metadata.annotations, names);
  return createMergePatch({}, { labels, annotations }) as JsonObject | undefined;
}

/** Whether the patch would change anything. Otherwise it was applied already, or another writer wants the same. */
export function changes(destination: UnstructuredObject, patch: JsonObject): boolean {
  return !equal(applyMergePatch(destination, patch), destination);
}

/** Merges two merge patches; they never contradict each other here. */
export function merged(first: JsonObject | undefined, second: JsonObject | undefined): JsonObject | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return Object.fromEntries(
    [...new Set([...Object.keys(first), ...Object.keys(second)])].map((key) => {
      const [a, b] = [own(first, key), own(second, key)];
      return [key, isObject(a) && isObject(b) ? merged(a, b) : b === undefined ? a : b];
    }),
  ) as JsonObject;
}

export function agentLabel(agentName: string): Readonly<Record<string, string>> {
  return agentName === '' ? {} : { [AGENT_NAME]: agentName };
}

/**
 * The content carried to the other side: without the name there, and without its deletion, which is carried out
 * instead. The maps of labels and annotations are always present: the other side has keys of its own in them, so they
 * never go as a whole.
 */
export function content(snapshot: UnstructuredObject, subresources: readonly string[]): JsonObject {
  const { labels, annotations } = snapshot.metadata;
  const metadata = Object.entries(snapshot.metadata).filter(([key]) => !NOT_CARRIED.has(key));
  const fields = Object.entries(snapshot).filter(
    ([key]) => key !== 'metadata' && !NOT_CONTENT.has(key) && !subresources.includes(key),
  );
  return Object.fromEntries([
    ...fields,
    ['metadata', { ...Object.fromEntries(metadata), labels: labels ?? {}, annotations: annotations ?? {} }],
  ]) as JsonObject;
}

function missing(
  present: Readonly<Record<string, unknown>> | undefined,
  wanted: Readonly<Record<string, unknown>> | undefined,
): JsonObject | undefined {
  const entries = Object.entries(wanted ?? {}).filter(([key, value]) => own(present ?? {}, key) !== value);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonObject);
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Readonly<Record<string, unknown>>)[key] : undefined;
}

function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
