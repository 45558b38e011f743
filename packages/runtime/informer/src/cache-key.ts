import { type KubeObject, type ObjectKey, objectKey } from '@hawser/client';

/**
 * Key of an object in a cache: `namespace/name`, or `name` for cluster-scoped objects. Informers over many logical
 * clusters prefix `cluster|`.
 */
export type CacheKey = string;

/** Identifies an object where one informer watches many logical clusters. */
export interface ClusterKey extends ObjectKey {
  readonly cluster: string;
}

/** Returns the logical cluster of an object. */
export type ClusterOf = (object: KubeObject) => string | undefined;

/** Key of an object in a cache of many clusters: `cluster|namespace/name`. */
export function clusterKey(key: ClusterKey): CacheKey {
  return `${key.cluster}|${objectKey(key)}`;
}

/** The inverse of {@link clusterKey}. Throws a RangeError for a key without a cluster. */
export function parseClusterKey(key: CacheKey): ClusterKey {
  // A cluster or namespace contains neither bar nor slash, a name no slash.
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

/** Returns the key function for a cache of many clusters or of one. */
export function keyFunction(clusterOf: ClusterOf | undefined): (object: KubeObject) => CacheKey {
  return clusterOf === undefined ? objectKey : (object) => `${clusterOf(object) ?? ''}|${objectKey(object)}`;
}

/** Whether both are certainly different objects, even if they have the same name. */
export function isAnother(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid !== undefined && b.metadata.uid !== undefined && a.metadata.uid !== b.metadata.uid;
}
