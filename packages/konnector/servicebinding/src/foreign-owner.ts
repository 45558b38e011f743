import type { KubeObject } from '@hawser/client';
import type { APIServiceBinding } from '@hawser/kube-bind';

/** Whose a CRD is that does not belong to `binding`, in words that go into a message after "it". */
export function describeForeignOwner(crd: KubeObject, binding: APIServiceBinding): string {
  const owner = crd.metadata.ownerReferences?.find((reference) => reference.kind === 'APIServiceBinding' && reference.apiVersion.split('/', 1)[0] === binding.apiVersion.split('/', 1)[0]);
  if (owner === undefined) return 'was not made by a binding';
  if (owner.name === binding.metadata.name) return `belongs to an earlier APIServiceBinding ${owner.name} (uid ${owner.uid})`;
  return `belongs to APIServiceBinding ${owner.name}`;
}
