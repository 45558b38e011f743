import type { KubeObject, ObjectKey } from '@hawser/client';

/** The kind of primary objects on the side where the related object is. */
export interface PrimaryKind {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/**
 * The primary objects that own a related object: every owner reference of that kind, in whatever version. Owners are in the namespace of what they own, or in none.
 */
export function ownersOf(object: KubeObject, { group, kind, namespaced }: PrimaryKind): readonly ObjectKey[] {
  const { namespace, ownerReferences = [] } = object.metadata;
  return ownerReferences
    .filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === group)
    .map(({ name }) => (namespaced ? { namespace, name } : { name }));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
