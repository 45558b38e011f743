import type { ObjectKey, UnstructuredObject } from '@hawser/client';

/** `namespace/name`, or `name`. */
export function pathOf({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** Without `namespace` for cluster-scoped objects. */
export function keyOf({ metadata: { namespace, name } }: UnstructuredObject): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

export function describe(object: UnstructuredObject): string {
  return `${object.kind} "${pathOf(object.metadata)}"`;
}
