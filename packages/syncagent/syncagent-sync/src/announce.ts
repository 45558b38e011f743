import { type Client, keyOf, type Resource, type UnstructuredObject } from '@hawser/client';
import { canonical } from '@hawser/json';
import { relatedAnnotation, relatedAnnotationPrefix } from '@hawser/syncagent-api';

import { type RelatedPair, announcement } from './related-pairs.js';

/** Identifier and position. */
const ENTRY = /^(.+)\.[0-9]+$/u;

/**
 * Computes the changes of a kcp primary's annotations that name its related objects (`spec/api-syncagent.md §12.7`).
 * Removes those of objects that it no longer has, unless their entry could not be resolved. Undefined: all are right.
 * Pure.
 */
export function announcements(
  primary: UnstructuredObject,
  placed: readonly RelatedPair[],
  unresolved: readonly string[],
): Readonly<Record<string, string | null>> | undefined {
  const present = primary.metadata.annotations ?? {};
  const wanted = new Map(
    placed.map(({ rule, resolved, record, index }) => [
      relatedAnnotation(rule.identifier, index),
      canonical(announcement(resolved.origin.object, record.destination), { sortKeys: false }),
    ]),
  );
  const wrong: Record<string, string | null> = {};
  for (const [key, value] of wanted) if (present[key] !== value) wrong[key] = value;
  for (const key of Object.keys(present)) {
    if (!key.startsWith(relatedAnnotationPrefix) || wanted.has(key)) continue;
    const [, identifier] = ENTRY.exec(key.slice(relatedAnnotationPrefix.length)) ?? [];
    // Without a number it is not ours.
    if (identifier !== undefined && !unresolved.includes(identifier)) wrong[key] = null;
  }
  return Object.keys(wrong).length === 0 ? undefined : wrong;
}

export async function announce(
  client: Client,
  resource: Resource,
  primary: UnstructuredObject,
  annotations: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<UnstructuredObject> {
  const { uid, resourceVersion } = primary.metadata;
  return client.patch(
    resource,
    keyOf(primary),
    { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations } } },
    { signal },
  );
}
