import { type GroupResource, StatusError, isDeleting, metaOf, withAt, withMeta } from '@hawser/apiserver';
import { type JsonObject, equal } from '@hawser/json';
import { type KcpCondition, withConditions } from '../conditions.js';
import { BINDINGS, LOGICAL_CLUSTERS, WORKSPACES } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { LOGICAL_CLUSTER_FINALIZER, PHASE } from '../names.js';
import { isResource } from '../resource.js';
import { BY_KCP, type ControllerHost, STATUS_BY_KCP } from './controller.js';

const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };

/**
 * Empties a logical cluster that is being deleted, and removes it once nothing waits for a finalizer. Bindings go last:
 * their objects are reached through them.
 */
export function syncLogicalCluster(host: ControllerHost, cluster: LogicalCluster): void {
  const object = cluster.objects.get(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' });
  if (object === undefined || !isDeleting(object)) return;
  const resources = cluster.objects.resources().filter((resource) => !isResource(resource, LOGICAL_CLUSTERS));
  const bindings = resources.filter((resource) => isResource(resource, BINDINGS));
  const content = resources.filter((resource) => !isResource(resource, BINDINGS) && !isResource(resource, NAMESPACES));
  const namespaces = resources.filter((resource) => isResource(resource, NAMESPACES));
  const left = [...content, ...namespaces, ...bindings]
    .map((resource) => ({ resource, objects: deleteAll(cluster, resource) }))
    .filter(({ objects }) => objects.length > 0);
  if (left.length > 0) {
    // Bound objects go with their binding.
    reportRemaining(
      host,
      cluster,
      object,
      left.filter(({ resource }) => !cluster.bound.types().some((type) => isResource(type, resource))),
    );
    return;
  }
  const finalizers = (metaOf(object).finalizers ?? []).filter((finalizer) => finalizer !== LOGICAL_CLUSTER_FINALIZER);
  const owner = ownerOf(object);
  cluster.objects.update(LOGICAL_CLUSTERS, withMeta(object, { finalizers }), BY_KCP);
  if (cluster.objects.get(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' }) !== undefined) return;
  host.world.remove(cluster);
  if (owner !== undefined) host.enqueue({ kind: 'workspace', ...owner });
}

function ownerOf(object: {
  readonly [key: string]: unknown;
}): { readonly cluster: string; readonly name: string } | undefined {
  const spec = object['spec'] as { readonly owner?: { readonly cluster?: string; readonly name?: string } } | undefined;
  const { cluster, name } = spec?.owner ?? {};
  return cluster === undefined || name === undefined ? undefined : { cluster, name };
}

/**
 * Returns objects that wait for finalizers. Ignores those that are recreated while the workspace exists (the default
 * ServiceAccount).
 */
function deleteAll(cluster: LogicalCluster, resource: GroupResource): readonly JsonObject[] {
  for (const object of cluster.objects.list(resource)) {
    const { namespace = '', name = '' } = metaOf(object);
    if (isDeleting(object)) continue;
    try {
      cluster.objects.delete(resource, { namespace, name }, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }
  return cluster.objects.list(resource).filter(isDeleting);
}

interface Left {
  readonly resource: GroupResource;
  readonly objects: readonly JsonObject[];
}

/** Reports in the logical cluster and in the workspace what the deletion waits for. */
function reportRemaining(
  host: ControllerHost,
  cluster: LogicalCluster,
  object: JsonObject,
  left: readonly Left[],
): void {
  if (left.length === 0) return;
  const finalizers = new Map<string, number>();
  for (const finalizer of left.flatMap(({ objects }) => objects).flatMap((each) => metaOf(each).finalizers ?? []))
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  const resources = left
    .map(
      ({ resource, objects }) =>
        `${resource.resource}${resource.group === '' ? '' : `.${resource.group}`} has ${objects.length} resource instances`,
    )
    .sort();
  const waiting = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort();
  const message = `Some resources are remaining: ${resources.join(', ')}; Some content in the logical cluster has finalizers remaining: ${waiting.join(', ')}`;
  const condition: KcpCondition = {
    type: 'WorkspaceContentDeleted',
    status: 'False',
    severity: 'Info',
    reason: 'SomeResourcesRemain',
    message,
  };
  mark(host, cluster, LOGICAL_CLUSTERS, object, condition);
  const owner = ownerOf(object);
  const parent = owner === undefined ? undefined : host.world.find(owner.cluster);
  const workspace =
    owner === undefined ? undefined : parent?.objects.get(WORKSPACES, { namespace: '', name: owner.name });
  if (parent !== undefined && workspace !== undefined) mark(host, parent, WORKSPACES, workspace, condition);
}

function mark(
  host: ControllerHost,
  { objects }: LogicalCluster,
  resource: GroupResource,
  object: JsonObject,
  condition: KcpCondition,
): void {
  const { labels } = metaOf(object);
  const labelled =
    labels?.[PHASE] === 'Deleting'
      ? object
      : objects.update(resource, withMeta(object, { labels: { ...labels, [PHASE]: 'Deleting' } }), BY_KCP);
  const updated = withAt(withConditions(labelled, [condition], host.timestamp()), ['status', 'phase'], 'Deleting');
  if (!equal(updated, labelled)) objects.update(resource, updated, STATUS_BY_KCP);
}
