import type { ObjectKey } from '@hawser/client';

/** `namespace/name`, or `name` for a cluster-scoped object: one key per object, never two spellings. */
export function stringKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
