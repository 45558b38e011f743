import type { KubeObject } from '@hawser/client';
import { type APIServiceBinding, bindingOwners } from '@hawser/kube-bind';

/** Describes the owner of a CRD that does not belong to `binding`, for a message after "it". */
export function describeForeignOwner(crd: KubeObject, binding: APIServiceBinding): string {
  const [owner] = bindingOwners(crd, binding.apiVersion);
  if (owner === undefined) return 'was not made by a binding';
  if (owner.name === binding.metadata.name)
    return `belongs to an earlier APIServiceBinding ${owner.name} (uid ${owner.uid})`;
  return `belongs to APIServiceBinding ${owner.name}`;
}
