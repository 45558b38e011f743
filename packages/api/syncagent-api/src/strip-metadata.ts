import type { ObjectMeta } from '@hawser/client';
import { hawserPrefix } from './metadata.js';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Metadata that an API server keeps about an object, or that links it to others there. */
const ownFields = new Set([
  'creationTimestamp',
  'finalizers',
  'generation',
  'ownerReferences',
  'resourceVersion',
  'managedFields',
  'uid',
  'selfLink',
]);

/**
 * `object` with only the metadata that goes to the other side (spec/api-syncagent.md §11.4). Drops reserved labels and
 * annotations, and a map that becomes empty. Returns `object` itself if nothing goes.
 *
 * The Go agent reserves fewer keys, and its snapshots may hold the others. Strip a snapshot too before you compare it.
 * Otherwise such a key looks removed at the source, and would be removed from the copy.
 */
export function stripMetadata<T extends { readonly metadata?: Partial<ObjectMeta> | undefined }>(object: T): T {
  if (object.metadata === undefined) return object;
  const kept: [string, unknown][] = [];
  let changed = false;
  for (const [name, value] of Object.entries(object.metadata)) {
    if (value === undefined || ownFields.has(name)) {
      changed = true;
      continue;
    }
    const next = name === 'labels' || name === 'annotations' ? withoutReserved(value) : value;
    if (next !== value) changed = true;
    if (next !== undefined) kept.push([name, next]);
  }
  return changed ? { ...object, metadata: Object.fromEntries(kept) } : object;
}

/**
 * Whether a label or annotation belongs to kcp, to an agent or to Hawser, on either side: all of `kcp.io` and
 * `hawser.dev`, and kubectl's record of the last apply. Never carried over: no user of a workspace can set the owner of
 * a copy.
 */
export function isReservedKey(key: string): boolean {
  if (key === lastApplied || key.startsWith(hawserPrefix)) return true;
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  return domain === 'kcp.io' || domain.endsWith('.kcp.io');
}

function withoutReserved(map: unknown): unknown {
  if (typeof map !== 'object' || map === null) return undefined;
  const entries = Object.entries(map);
  const kept = entries.filter(([key]) => !isReservedKey(key));
  if (kept.length === 0) return undefined;
  return kept.length === entries.length ? map : Object.fromEntries(kept);
}
