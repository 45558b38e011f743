import { type KubeObject, type ObjectKey, objectKey } from '@hawser/client';

/** `namespace/name`, or `name` for cluster-scoped objects; where the informers tell logical clusters apart, with `cluster|` before it. */
export type CacheKey = string;

/** Which object, where one informer watches many logical clusters. */
export interface ClusterKey extends ObjectKey {
  readonly cluster: string;
}

/** Tells the logical cluster of an object. */
export type ClusterOf = (object: KubeObject) => string | undefined;

/** How a cache names an object of many clusters: `cluster|namespace/name`. */
export function clusterKey(key: ClusterKey): CacheKey {
  return `${key.cluster}|${objectKey(key)}`;
}

/** The inverse of {@link clusterKey}. Throws a RangeError for the key of a cache that knows no clusters. */
export function parseClusterKey(key: CacheKey): ClusterKey {
  // Neither a cluster nor a namespace can contain a bar or a slash, and no name a slash.
  const bar = key.indexOf('|');
  if (bar < 0) throw new RangeError(`${JSON.stringify(key)} names no cluster`);
  const slash = key.indexOf('/', bar);
  const cluster = key.slice(0, bar);
  return slash < 0
    ? { cluster, name: key.slice(bar + 1) }
    : { cluster, namespace: key.slice(bar + 1, slash), name: key.slice(slash + 1) };
}

export function toCacheKey(key: CacheKey | ObjectKey | ClusterKey): CacheKey {
  if (typeof key === 'string') return key;
  return 'cluster' in key ? clusterKey(key) : objectKey(key);
}

/** The key of an object, for a cache of many clusters or of one. */
export function keyFunction(clusterOf: ClusterOf | undefined): (object: KubeObject) => CacheKey {
  return clusterOf === undefined ? objectKey : (object) => `${clusterOf(object) ?? ''}|${objectKey(object)}`;
}

/** Whether both are known to be different objects, although they may have the same name. */
export function isAnother(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid !== undefined && b.metadata.uid !== undefined && a.metadata.uid !== b.metadata.uid;
}
