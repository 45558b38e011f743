import type { KubeObject, OwnerReference } from '@hawser/client';

/** The controlling owner of an object, which decides about it. */
export function controllerOf({ metadata: { ownerReferences } }: KubeObject): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}
