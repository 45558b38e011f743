import type { KubeObject, OwnerReference } from '@hawser/client';
import { type APIServiceExport, exportOwnerReference } from '@hawser/kube-bind';

/**
 * The owners of a BoundSchema once `owner` is among them; undefined if it is already as it should be.
 * A BoundSchema has one controller. Where that is another export, ours is a plain owner, so that the schema lives for as long as either does.
 */
export function withSchemaOwner(object: KubeObject, owner: APIServiceExport): readonly OwnerReference[] | undefined {
  const current = object.metadata.ownerReferences ?? [];
  const own = current.find((reference) => reference.uid === owner.metadata.uid);
  const isControlled = current.some((reference) => reference.controller === true);
  if (own !== undefined && isControlled) return undefined;
  const wanted = isControlled ? plainOwner(owner) : exportOwnerReference(owner);
  return [...current.filter((reference) => reference !== own), wanted];
}

/**
 * The owners of an existing APIServiceNamespace once `owner` is among them; undefined if nothing is to change.
 * One that nobody owns stays so: an owner would make it go with the export, which whoever made it did not ask for.
 */
export function withNamespaceOwner(object: KubeObject, owner: APIServiceExport): readonly OwnerReference[] | undefined {
  const current = object.metadata.ownerReferences ?? [];
  if (current.length === 0 || current.some((reference) => reference.uid === owner.metadata.uid)) return undefined;
  return [...current, plainOwner(owner)];
}

/** A reference that neither claims control nor blocks the deletion of the export. */
export function plainOwner(owner: APIServiceExport): OwnerReference {
  const { apiVersion, kind, name, uid } = exportOwnerReference(owner);
  return { apiVersion, kind, name, uid };
}
