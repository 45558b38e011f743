import type { ManagedFieldsEntry } from '@hawser/client';
import type { JsonObject, JsonValue } from '@hawser/json';

import type { Path } from './difference.js';
import { FIELD_MANAGERS, OUR_MANAGERS } from './marks.js';

/**
 * Which of `paths` (from the root of the object) were written by a konnector and by nobody else, according to the object's managedFields.
 * Those may be removed when the consumer no longer has them. What another manager has a share in stays; what no manager claims was
 * defaulted by the server and stays too.
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

/** Whether a konnector has written `path`, also where others have a share in it by now. */
export function isWrittenByKonnector(path: Path, managedFields: readonly ManagedFieldsEntry[]): boolean {
  return managedFields.some(
    (entry) => entry.manager !== undefined && OUR_MANAGERS.has(entry.manager) && claims(entry, path),
  );
}

/** Which of `paths` somebody else has written last: another manager has them, and no konnector has a share any more. What was removed is nobody's. */
export function ownedByOthers(paths: readonly Path[], managedFields: readonly ManagedFieldsEntry[]): readonly Path[] {
  const isOurs = ({ manager }: ManagedFieldsEntry): boolean => manager !== undefined && OUR_MANAGERS.has(manager);
  return paths.filter((path) => {
    const owners = managedFields.filter((entry) => claims(entry, path));
    return owners.length > 0 && !owners.some(isOurs);
  });
}

/** Whether a konnector has a share in `path`. */
export function ownedByKonnector(path: Path, managedFields: readonly ManagedFieldsEntry[]): boolean {
  return managedFields.some(
    (entry) => entry.manager !== undefined && OUR_MANAGERS.has(entry.manager) && claims(entry, path),
  );
}

/**
 * Who else writes `paths`, by the names of their field managers: those that claim one of them now; where none does (it was taken away), whoever wrote last.
 * Empty if nobody but we have written.
 */
export function writersOf(paths: readonly Path[], managedFields: readonly ManagedFieldsEntry[]): readonly string[] {
  const others = managedFields.filter(
    ({ manager = '', subresource = '' }) => !FIELD_MANAGERS.has(manager) && subresource === '',
  );
  const claiming = others.filter((entry) => paths.some((path) => claims(entry, path)));
  const latest = [...others].sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1)).slice(0, 1);
  return [...new Set((claiming.length > 0 ? claiming : latest).map(({ manager = '' }) => manager))];
}

/** The field manager that wrote last, but for ours; empty if none has. */
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
