import type { KubeObject, OwnerReference } from './object.js';

/** The owner that controls an object: a controller made the object as a child of it, perhaps with its marks. */
export function controllerOf({ metadata: { ownerReferences } }: KubeObject): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}
