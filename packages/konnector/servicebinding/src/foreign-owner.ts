import type { KubeObject } from '@hawser/client';
import { connectionOf } from '@hawser/core-kbind';
import { type APIServiceBinding, bindingOwners } from '@hawser/kube-bind';

/** Why a CRD that does not belong to `binding` stays as it is, and what to do. */
export function describeForeignCRD(crd: KubeObject, binding: APIServiceBinding): string {
  const name = `CustomResourceDefinition ${crd.metadata.name}`;
  const connection = connectionOf(crd);
  if (connection !== undefined)
    return `core.kbind.io serves ${name}, through Connection ${connection}. This binding leaves it as it is. Do not delete the CustomResourceDefinition: its objects would go with it. Delete this binding, or give its API back with "hawser migrate ${binding.metadata.name} --to v1".`;
  return `${name} exists on the consumer and ${describeOwner(crd, binding)}. It was left as it is; this binding takes over when it is deleted.`;
}

/** For a message, after "it". */
function describeOwner(crd: KubeObject, binding: APIServiceBinding): string {
  const [owner] = bindingOwners(crd, binding.apiVersion);
  if (owner === undefined) return 'was not made by a binding';
  if (owner.name === binding.metadata.name)
    return `belongs to an earlier APIServiceBinding ${owner.name} (uid ${owner.uid})`;
  return `belongs to APIServiceBinding ${owner.name}`;
}
