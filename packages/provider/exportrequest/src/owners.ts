import type { KubeObject, OwnerReference } from '@hawser/client';
import { type APIServiceExport, exportOwnerReference } from '@hawser/kube-bind';

/**
 * The owners of a BoundSchema with `owner` added; undefined: nothing changes. A BoundSchema has one controller. If that
 * is another export, ours becomes a plain owner, so the schema lives as long as either.
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
 * The owners of an existing APIServiceNamespace with `owner` added; undefined: nothing changes. One without an owner
 * stays so: an owner would make it go with the export, which its creator did not request.
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
