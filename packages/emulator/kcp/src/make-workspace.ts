import { stringField, objectField, metaOf } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { WORKSPACES } from './kinds/types.js';
import type { LogicalCluster } from './logical-cluster.js';
import { ASSIGNED, OWNER } from './names.js';
import type { World } from './world.js';

/** Creates a workspace inside another one as a user would, and resolves when it is ready. */
export function makeWorkspace(
  world: World,
  parent: LogicalCluster,
  name: string,
  { shard, owner, cluster: assigned }: { readonly shard?: string; readonly owner: string; readonly cluster?: string },
): Promise<LogicalCluster> {
  return new Promise((resolve, reject) => {
    const subscription = parent.objects.onChange(({ resource, object, type }) => {
      if (resource.resource !== WORKSPACES.resource || metaOf(object).name !== name) return;
      if (type === 'DELETED') {
        subscription[Symbol.dispose]();
        reject(new Error(`workspace ${parent.path}:${name} was deleted before it was ready`));
        return;
      }
      const cluster = readyCluster(world, object);
      if (cluster === undefined) return;
      subscription[Symbol.dispose]();
      resolve(cluster);
    });
    const existing = parent.objects.get(WORKSPACES, { namespace: '', name });
    if (existing !== undefined) return;
    try {
      parent.objects.create(WORKSPACES, {
        apiVersion: 'tenancy.kcp.io/v1alpha1',
        kind: 'Workspace',
        metadata: {
          name,
          annotations: {
            [OWNER]: JSON.stringify({ username: owner }),
            ...(assigned === undefined ? {} : { [ASSIGNED]: assigned }),
          },
        },
        spec: {
          type: { name: 'universal', path: 'root' },
          ...(shard === undefined ? {} : { location: { selector: { matchLabels: { name: shard } } } }),
        },
      });
    } catch (error) {
      subscription[Symbol.dispose]();
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function readyCluster(world: World, workspace: JsonObject): LogicalCluster | undefined {
  if (stringField(objectField(workspace, 'status'), 'phase') !== 'Ready') return undefined;
  return world.find(stringField(objectField(workspace, 'spec'), 'cluster'));
}
