import type { KubeObject, ObjectMeta, OwnerReference } from '@hawser/client';
import { apiVersion } from '../group.js';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { APIServiceNamespace } from '../kinds/api-service-namespace.js';
import { labels, owners } from '../metadata.js';
import { exportOwnerReference } from '../owner-reference.js';

/**
 * The bindings that a consumer CRD was installed for, in any version of the group of `of` (default: kube-bind's;
 * `spec/kube-bind-api.md §8.4`).
 */
export function bindingOwners(
  { metadata: { ownerReferences = [] } }: Pick<KubeObject, 'metadata'>,
  of = apiVersion,
): readonly OwnerReference[] {
  return ownerReferences.filter(
    (owner) => owner.kind === 'APIServiceBinding' && groupOf(owner.apiVersion) === groupOf(of),
  );
}

/**
 * Whether a consumer CRD belongs to the binding with this name and uid, in any version of the binding's group (default:
 * kube-bind's; spec/kube-bind-api.md §8.4). Ignores the `controller` flag. A binding without uid owns nothing: a name
 * alone proves nothing.
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
