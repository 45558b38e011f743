import type { KubeObject, ObjectMeta, OwnerReference } from '@hawser/client';
import { apiVersion } from '../group.js';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { APIServiceNamespace } from '../kinds/api-service-namespace.js';
import { labels, owners } from '../metadata.js';
import { exportOwnerReference } from '../owner-reference.js';

/** The bindings that a CRD on the consumer was installed for, in whatever version of the group of `of` (default: kube-bind's) that was written (`spec/kube-bind-api.md §8.4`). */
export function bindingOwners(
  { metadata: { ownerReferences = [] } }: Pick<KubeObject, 'metadata'>,
  of = apiVersion,
): readonly OwnerReference[] {
  return ownerReferences.filter(
    (owner) => owner.kind === 'APIServiceBinding' && groupOf(owner.apiVersion) === groupOf(of),
  );
}

/**
 * Whether a CRD on the consumer belongs to the binding of this name and uid, in whatever version of the binding's group (default: kube-bind's) that was written
 * (spec/kube-bind-api.md §8.4). The `controller` flag does not count. A binding that does not say its uid owns nothing: a name alone is not a proof.
 */
export function isOwnedByBinding(
  crd: Pick<KubeObject, 'metadata'>,
  {
    apiVersion: of,
    metadata: { name, uid },
  }: { readonly apiVersion?: string | undefined; readonly metadata: Pick<ObjectMeta, 'name' | 'uid'> },
): boolean {
  return bindingOwners(crd, of).some((owner) => owner.name === name && owner.uid === uid);
}

function groupOf(ofObject: string): string | undefined {
  return ofObject.split('/', 1)[0];
}

/** An APIServiceNamespace that makes the consumer create the namespace `name` (spec/kube-bind-api.md §8.5). */
export function providerOwnedNamespace(owner: APIServiceExport, name: string): APIServiceNamespace {
  return {
    apiVersion,
    kind: 'APIServiceNamespace',
    metadata: {
      name,
      namespace: owner.metadata.namespace,
      labels: { [labels.owner]: owners.provider },
      ownerReferences: [exportOwnerReference(owner)],
    },
    spec: {},
  };
}
