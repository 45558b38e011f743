import type { KubeObject, OwnerReference, Resource } from '@hawser/client';
import { type CustomResourceDefinition, apiGroup } from '@hawser/kube-bind';

/** The bindings that a CRD was installed for (`spec/kube-bind-api.md §8.4`). */
export function bindingOwners(crd: KubeObject): readonly OwnerReference[] {
  return (crd.metadata.ownerReferences ?? []).filter(({ apiVersion, kind }) => apiVersion.split('/', 1)[0] === apiGroup && kind === 'APIServiceBinding');
}

/** Where the objects of a CRD are found; undefined if no version is served. */
export function resourceOfCRD({ spec: { group, names, versions } }: CustomResourceDefinition): Resource | undefined {
  const version = versions.find(({ served }) => served);
  return version === undefined ? undefined : { group, version: version.name, resource: names.plural };
}
