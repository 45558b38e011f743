import type { ObjectKey, UnstructuredObject } from '@hawser/client';

/** An object in kcp: which logical cluster, and where in it. */
export interface ClusterKey extends ObjectKey {
  readonly cluster: string;
}

/** `cluster|namespace/name`, or `cluster|name`: one spelling for each object (`spec/api-syncagent.md §6.3`). */
export function stringKey({ cluster, namespace, name }: ClusterKey): string {
  return `${cluster}|${pathOf({ namespace, name })}`;
}

export function parseKey(key: string): ClusterKey {
  const bar = key.indexOf('|');
  const rest = key.slice(bar + 1);
  const slash = rest.indexOf('/');
  const cluster = key.slice(0, bar);
  return slash < 0 ? { cluster, name: rest } : { cluster, namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}

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
