import type { JsonObject } from '@hawser/json';
import { keyOf, metaOf, parseApiVersion } from '../object/meta.js';
import type { Entry } from '../store/change.js';
import type { ResourceType } from './resource-type.js';
import { StatusError, conflict } from '../status.js';
import type { WriteRequest } from './write-request.js';

/** The API server's error if the stored object fails the preconditions. Undefined: it passes. */
export function failedPrecondition(
  existing: Entry,
  uid: string | undefined,
  revision: string | undefined,
): string | undefined {
  const meta = metaOf(existing.object);
  if (uid !== undefined && uid !== meta.uid)
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${meta.uid ?? ''}`;
  if (revision === undefined || revision === meta.resourceVersion) return undefined;
  return `Precondition failed: ResourceVersion in precondition: ${revision}, ResourceVersion in object meta: ${meta.resourceVersion ?? ''}`;
}

/** Kind for messages: of a built-in type the storage kind, of a custom resource the object's. */
export function kindOf(type: ResourceType, object: JsonObject): { readonly group: string; readonly kind: string } {
  const { kind, apiVersion } = object;
  if (!type.custom || typeof kind !== 'string' || typeof apiVersion !== 'string')
    return { group: type.group, kind: type.kind };
  return { group: parseApiVersion(apiVersion).group, kind };
}

/** Resource for messages: the request's, since Events have two groups. */
export function groupResource({
  type,
  version,
}: {
  readonly type: ResourceType;
  readonly version: { readonly group: string };
}): { readonly group: string; readonly resource: string } {
  return { group: version.group, resource: type.resource };
}

/**
 * Refuses a resourceVersion that is not a number, with the API server's message.
 * @throws StatusError
 */
export function checkRevision(revision: string): void {
  if (!/^\d+$/u.test(revision))
    throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(revision)}: invalid syntax`);
}

/** No object exists that could have the requested uid. */
export function failedWithoutObject(request: WriteRequest, name: string, uid: string): StatusError {
  const key = `${request.type.storagePath}/${keyOf(request.namespace, name)}`;
  const message = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `;
  return conflict(groupResource(request), name, message);
}
