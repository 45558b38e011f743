import type { KubeObject } from '@hawser/client';
import { fixedNames } from '@hawser/kube-bind';

/** What the provider puts into every service namespace itself, by the name of the resource. */
export function isFurniture(resource: string, { metadata: { name } }: KubeObject): boolean {
  switch (resource) {
    case 'roles.rbac.authorization.k8s.io':
    case 'rolebindings.rbac.authorization.k8s.io':
      return name === fixedNames.binder || name.startsWith(`${fixedNames.binder}-`) || name.startsWith(`${fixedNames.binder}:`);
    default:
      return false;
  }
}
