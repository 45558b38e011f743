import type { KubeObject, OwnerReference } from '@hawser/client';
import type { APIServiceBinding } from './kinds/api-service-binding.js';
import type { APIServiceBindingBundle } from './kinds/api-service-binding-bundle.js';
import type { APIServiceExport } from './kinds/api-service-export.js';

// spec/kube-bind-api.md §12.1, §8.5.

/** Makes a binding the owner of a CRD. */
export function bindingOwnerReference(binding: APIServiceBinding): OwnerReference {
  return { ...reference('APIServiceBinding', binding), controller: true };
}

/** Makes a bundle the owner of a binding. */
export function bundleOwnerReference(bundle: APIServiceBindingBundle): OwnerReference {
  return { ...reference('APIServiceBindingBundle', bundle), controller: true };
}

/** Makes an export the owner of its BoundSchemas and of provider-owned APIServiceNamespaces. */
export function exportOwnerReference(owner: APIServiceExport): OwnerReference {
  return { ...reference('APIServiceExport', owner), controller: true, blockOwnerDeletion: true };
}

/** Names the owner as it was read: in the group of its dialect. */
function reference(kind: string, owner: KubeObject): OwnerReference {
  return { apiVersion: owner.apiVersion, kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '' };
}
