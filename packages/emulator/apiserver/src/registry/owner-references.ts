import { type JsonObject, equal } from '@hawser/json';
import { type OwnerReference, metaOf, withMeta } from '../object/meta.js';

/** Removes duplicate owner references, with the API server's warning. */
export function dedupeOwnerReferences(
  object: JsonObject,
  warn: (text: string) => void,
  afterAdmission: boolean,
): JsonObject {
  const references = metaOf(object).ownerReferences ?? [];
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (kept.some((other) => equal(other, reference))) duplicates.push(reference.uid ?? '');
    else kept.push(reference);
  }
  if (duplicates.length === 0) return object;
  const uids = duplicates.join(', ');
  warn(
    afterAdmission
      ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
      : `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
  return withMeta(object, { ownerReferences: kept });
}
