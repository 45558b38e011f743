import type { KubeObject } from '@hawser/client';
import { dialects } from '@hawser/klutch';

/** Whether the provider itself puts the object into every service namespace, by the name of the resource. */
export function isFurniture(resource: string, { metadata: { name } }: KubeObject): boolean {
  switch (resource) {
    case 'roles.rbac.authorization.k8s.io':
    case 'rolebindings.rbac.authorization.k8s.io':
      return dialects.some(
        ({ names: { binder } }) => name === binder || name.startsWith(`${binder}-`) || name.startsWith(`${binder}:`),
      );
    default:
      return false;
  }
}
