import type { ObjectMeta } from '@hawser/client';
import { hawserPrefix } from './metadata.js';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What an API server keeps about an object, and what links it to others there. */
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
 * `object` with only the metadata that is carried to the other side (spec/api-syncagent.md §11.4). Reserved labels and annotations go, and an empty
 * map of them goes altogether. Returns `object` itself where nothing has to go.
 *
 * The Go agent reserves fewer keys, and its snapshots may hold the others: strip what is read from a snapshot, too, before it is compared. Otherwise
 * such a key would look as if it had been removed at the source, and would be removed from the copy.
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
 * Whether a label or annotation belongs to kcp, to an agent or to Hawser, on whichever side it stands: the whole of `kcp.io`, `hawser.dev`, and what kubectl
 * keeps of the last apply. It is never carried, so that nobody in a workspace can say whose copy an object is.
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
