import type { ManagedFieldsEntry } from '@hawser/client';
import type { JsonObject, JsonValue } from '@hawser/json';

import type { Path } from './difference.js';
import { FIELD_MANAGERS, OUR_MANAGERS } from './marks.js';

/**
 * Selects the `paths` (from the root of the object) that only konnectors wrote, by the object's managedFields. These
 * may be removed when the consumer no longer has them. A field shared with another manager stays; so does a field
 * without a manager, which the server defaulted.
 */
export function ownedOnlyByUs(paths: readonly Path[], managedFields: readonly ManagedFieldsEntry[]): readonly Path[] {
  return paths.filter((path) => {
    let ours = false;
    for (const entry of managedFields) {
      if (!claims(entry, path)) continue;
      if (entry.manager !== undefined && OUR_MANAGERS.has(entry.manager)) ours = true;
      else return false;
    }
    return ours;
  });
}

/** Whether a konnector wrote `path`, even if others share it by now. */
export function isWrittenByKonnector(path: Path, managedFields: readonly ManagedFieldsEntry[]): boolean {
  return managedFields.some(
    (entry) => entry.manager !== undefined && OUR_MANAGERS.has(entry.manager) && claims(entry, path),
  );
}

/**
 * Selects the `paths` last written by others: another manager owns them, and no konnector any more. Removed fields have
 * no owner.
 */
export function ownedByOthers(paths: readonly Path[], managedFields: readonly ManagedFieldsEntry[]): readonly Path[] {
  const isOurs = ({ manager }: ManagedFieldsEntry): boolean => manager !== undefined && OUR_MANAGERS.has(manager);
  return paths.filter((path) => {
    const owners = managedFields.filter((entry) => claims(entry, path));
    return owners.length > 0 && !owners.some(isOurs);
  });
}

/** Whether a konnector owns a share of `path`. */
export function ownedByKonnector(path: Path, managedFields: readonly ManagedFieldsEntry[]): boolean {
  return managedFields.some(
    (entry) => entry.manager !== undefined && OUR_MANAGERS.has(entry.manager) && claims(entry, path),
  );
}

/**
 * The other writers of `paths`, by field manager: those that own one of them now. If none does (the field was removed),
 * the last writer. Empty: only we wrote.
 */
export function writersOf(paths: readonly Path[], managedFields: readonly ManagedFieldsEntry[]): readonly string[] {
  const others = managedFields.filter(
    ({ manager = '', subresource = '' }) => !FIELD_MANAGERS.has(manager) && subresource === '',
  );
  const claiming = others.filter((entry) => paths.some((path) => claims(entry, path)));
  const latest = [...others].sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1)).slice(0, 1);
  return [...new Set((claiming.length > 0 ? claiming : latest).map(({ manager = '' }) => manager))];
}

/** The last field manager other than ours; empty: none. */
export function lastOtherWriter(managedFields: readonly ManagedFieldsEntry[]): string {
  const others = managedFields.filter(
    ({ manager = '', subresource = '' }) =>
      !OUR_MANAGERS.has(manager) && !manager.startsWith('hawser') && subresource === '',
  );
  return [...others].sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager ?? '';
}

/** Whether the entry's field set has `path`, something below it, or an atomic ancestor of it. */
function claims(entry: ManagedFieldsEntry, path: Path): boolean {
  if (entry.subresource !== undefined && entry.subresource !== '') return false;
  let node = entry.fieldsV1 as JsonValue | undefined;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return false;
    const children = Object.keys(node);
    // A leaf of the field set owns all below it, unless nothing has been entered yet.
    if (children.length === 0) return node !== entry.fieldsV1;
    node = (node as JsonObject)[`f:${key}`];
    if (node === undefined) return false;
  }
  return node !== undefined;
}
