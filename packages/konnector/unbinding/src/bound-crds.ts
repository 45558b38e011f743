import type { KubeObject, OwnerReference } from '@hawser/client';
import { type Dialect, kubeBindDialect } from '@hawser/kube-bind';

/** The bindings that a CRD was installed for (`spec/kube-bind-api.md §8.4`). */
export function bindingOwners(crd: KubeObject, { apiGroup }: Pick<Dialect, 'apiGroup'> = kubeBindDialect): readonly OwnerReference[] {
  return (crd.metadata.ownerReferences ?? []).filter(({ apiVersion, kind }) => apiVersion.split('/', 1)[0] === apiGroup && kind === 'APIServiceBinding');
}
