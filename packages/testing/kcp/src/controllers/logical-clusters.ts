import { type GroupResource, StatusError, isDeleting, metaOf, withMeta } from '@hawser/apiserver';
import { BINDINGS, LOGICAL_CLUSTERS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { LOGICAL_CLUSTER_FINALIZER } from '../names.js';
import { isResource } from '../resource.js';
import { BY_KCP, type ControllerHost } from './controller.js';

const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };

/** Empties a logical cluster that is being deleted, and ends it when nothing is left that waits for a finalizer. Bindings go last: their objects are reached through them. */
export function syncLogicalCluster(host: ControllerHost, cluster: LogicalCluster): void {
  const object = cluster.objects.get(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' });
  if (object === undefined || !isDeleting(object)) return;
  const resources = cluster.objects.resources().filter((resource) => !isResource(resource, LOGICAL_CLUSTERS));
  const bindings = resources.filter((resource) => isResource(resource, BINDINGS));
  const content = resources.filter((resource) => !isResource(resource, BINDINGS) && !isResource(resource, NAMESPACES));
  const namespaces = resources.filter((resource) => isResource(resource, NAMESPACES));
  let left = 0;
  for (const resource of [...content, ...namespaces, ...bindings]) left += deleteAll(cluster, resource);
  if (left > 0) return;
  const finalizers = (metaOf(object).finalizers ?? []).filter((finalizer) => finalizer !== LOGICAL_CLUSTER_FINALIZER);
  const owner = ownerOf(object);
  cluster.objects.update(LOGICAL_CLUSTERS, withMeta(object, { finalizers }), BY_KCP);
  if (cluster.objects.get(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' }) !== undefined) return;
  host.world.remove(cluster);
  if (owner !== undefined) host.enqueue({ kind: 'workspace', ...owner });
}

function ownerOf(object: { readonly [key: string]: unknown }): { readonly cluster: string; readonly name: string } | undefined {
  const spec = object['spec'] as { readonly owner?: { readonly cluster?: string; readonly name?: string } } | undefined;
  const { cluster, name } = spec?.owner ?? {};
  return cluster === undefined || name === undefined ? undefined : { cluster, name };
}

/** How many objects wait for their finalizers. What is made anew for as long as there is a workspace (the default ServiceAccount) does not. */
function deleteAll(cluster: LogicalCluster, resource: GroupResource): number {
  for (const object of cluster.objects.list(resource)) {
    const { namespace = '', name = '' } = metaOf(object);
    if (isDeleting(object)) continue;
    try {
      cluster.objects.delete(resource, { namespace, name }, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }
  return cluster.objects.list(resource).filter(isDeleting).length;
}

