import { type AdmittedWrite, forbidden, metaOf } from '@hawser/apiserver';
import { LOGICAL_CLUSTERS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { MAX_OBJECTS } from '../names.js';

/**
 * Not counted and never refused: Events, so that a full workspace can be inspected, and the workspace's own objects.
 */
const FREE: ReadonlySet<string> = new Set(['events', 'events.k8s.io/events', 'core.kcp.io/logicalclusters']);

/**
 * Enforces the object limit of a workspace (kcp after 0.32.3): annotation `core.kcp.io/max-total-objects` of its
 * LogicalCluster; 0 and less: none.
 */
export function refuseBeyondLimit(cluster: LogicalCluster, { object, previous, resource }: AdmittedWrite): void {
  const id = resource.group === '' ? resource.resource : `${resource.group}/${resource.resource}`;
  if (previous !== undefined || FREE.has(id)) return;
  const limit = limitOf(cluster);
  if (limit === undefined) return;
  const count = countOf(cluster);
  if (count < limit) return;
  throw forbidden(
    resource,
    metaOf(object).name ?? '',
    `logical cluster "${cluster.name}" has reached its total object count limit (${count}/${limit} objects); delete objects to free up capacity`,
  );
}

function limitOf({ objects }: LogicalCluster): number | undefined {
  if (!objects.serves(LOGICAL_CLUSTERS)) return undefined;
  const object = objects.get(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' });
  const limit = Number(object === undefined ? NaN : metaOf(object).annotations?.[MAX_OBJECTS]);
  return limit > 0 ? limit : undefined;
}

function countOf({ shard: { store }, name }: LogicalCluster): number {
  return store
    .buckets()
    .filter((bucket) => !FREE.has(bucket))
    .reduce((sum, bucket) => sum + [...store.range(bucket, `${name}/`)].length, 0);
}
