import type { KubeObject, OwnerReference } from '@hawser/client';

/** What controls an object is the one to decide about it. */
export function controllerOf({ metadata: { ownerReferences } }: KubeObject): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}
