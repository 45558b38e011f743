import { metaOf, objectField, stringField, withAt } from '@hawser/apiserver';
import { type JsonObject, equal } from '@hawser/json';
import { exportHash } from '../bindings.js';
import { withConditions } from '../conditions.js';
import { SLICES } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import type { Shard } from '../shard.js';
import { type ControllerHost, STATUS_BY_KCP } from './controller.js';

/** Address of an export's virtual workspace on one shard. */
export interface ShardEndpoint {
  readonly name: string;
  readonly url: string;
  /** Another URL to the same place. */
  readonly urlVia: (way: string) => string;
}

/** Writes the URLs of an export's virtual workspaces into a slice: one for each shard with a binding. */
export function syncSlice(host: ControllerHost, cluster: LogicalCluster, name: string): void {
  const slice = cluster.objects.get(SLICES, { namespace: '', name });
  if (slice === undefined) return;
  const reference = objectField(objectField(slice, 'spec'), 'export');
  const path = stringField(reference, 'path');
  const found = host.world.findExport(cluster, path, stringField(reference, 'name'));
  const updated =
    found === undefined
      ? withConditions(
          slice,
          [
            {
              type: 'APIExportValid',
              status: 'False',
              severity: 'Error',
              reason: 'APIExportNotFound',
              message: `Error getting APIExport ${path}|${stringField(reference, 'name')}`,
            },
          ],
          host.timestamp(),
        )
      : withConditions(
          slice,
          [
            { type: 'APIExportValid', status: 'True' },
            { type: 'PartitionValid', status: 'True' },
          ],
          host.timestamp(),
        );
  const endpoints = found === undefined ? [] : endpointsOf(host, found.cluster, metaOf(found.object).name ?? '');
  const next = withAt(updated, ['status', 'endpoints'], endpoints.length === 0 ? undefined : endpoints);
  if (!equal(next, slice)) cluster.objects.update(SLICES, next, STATUS_BY_KCP);
}

function endpointsOf({ world }: ControllerHost, cluster: LogicalCluster, name: string): readonly JsonObject[] {
  const shards = new Set<Shard>();
  for (const key of world.bindingsOf(exportHash(cluster.name, name))) {
    const consumer = world.find(key.cluster);
    if (consumer !== undefined) shards.add(consumer.shard);
  }
  const found = world.shards
    .filter((shard) => shards.has(shard))
    .map((shard): ShardEndpoint => {
      const path = `${shardPath(world.shards, shard)}/services/apiexport/${cluster.name}/${name}`;
      return { name: shard.name, url: `${world.url}${path}`, urlVia: (way) => `${world.url}/via/${way}${path}` };
    });
  return world.endpoints?.(found) ?? found.map(({ url }) => ({ url }));
}

/** The first shard is at the server's root; the others are below. */
export function shardPath(shards: readonly Shard[], shard: Shard): string {
  return shards[0] === shard ? '' : `/shards/${shard.name}`;
}
