import { isDeleting, metaOf, objectField, stringField, withAt, withMeta } from '@hawser/apiserver';
import { type JsonObject, parse } from '@hawser/json';
import { withConditions } from '../conditions.js';
import { LOGICAL_CLUSTERS, WORKSPACES } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import {
  ASSIGNED,
  CLUSTER,
  LOGICAL_CLUSTER_FINALIZER,
  OWNER,
  PATH,
  PHASE,
  SHARD,
  WORKSPACE_FINALIZER,
} from '../names.js';
import type { Shard } from '../shard.js';
import { BY_KCP, type ControllerHost, STATUS_BY_KCP } from './controller.js';

export const ASSIGNED_SHARD = 'internal.tenancy.kcp.io/shard';
const TYPE = 'internal.tenancy.kcp.io/type';

/** Gives a new workspace a logical cluster, and removes it once the workspace is deleted and empty. */
export function syncWorkspace(host: ControllerHost, parent: LogicalCluster, name: string): void {
  const workspace = parent.objects.get(WORKSPACES, { namespace: '', name });
  if (workspace === undefined) return;
  const assigned = stringField(objectField(workspace, 'spec'), 'cluster');
  if (isDeleting(workspace)) end(host, parent, workspace, assigned);
  else if (assigned === '') begin(host, parent, workspace);
}

function begin(host: ControllerHost, parent: LogicalCluster, workspace: JsonObject): void {
  const { name = '', annotations = {} } = metaOf(workspace);
  const shard = shardFor(host, workspace);
  // No such shard: the workspace waits, as in kcp.
  if (shard === undefined) return;
  const cluster = host.world.create(annotations[ASSIGNED] ?? host.world.newName(), `${parent.path}:${name}`, shard);
  const owner = readOwner(annotations[OWNER]);
  makeLogicalCluster(host, cluster, {
    type: typeOf(workspace),
    ownedBy: {
      apiVersion: 'tenancy.kcp.io/v1alpha1',
      cluster: parent.name,
      name,
      resource: 'workspaces',
      uid: metaOf(workspace).uid ?? '',
    },
    createdBy: owner,
  });
  grantToOwner(cluster, stringField(owner, 'username'));
  const placed = withMeta(
    withAt(
      withAt(workspace, ['spec', 'cluster'], cluster.name),
      ['spec', 'URL'],
      `${host.world.url}/clusters/${cluster.path}`,
    ),
    {
      annotations: {
        ...annotations,
        [SHARD]: shard.name,
        [ASSIGNED]: cluster.name,
        [ASSIGNED_SHARD]: shard.hash,
        [OWNER]: JSON.stringify({ username: stringField(owner, 'username') }),
      },
      labels: { ...metaOf(workspace).labels, [PHASE]: 'Ready' },
      finalizers: [...(metaOf(workspace).finalizers ?? []), WORKSPACE_FINALIZER],
    },
  );
  const updated = parent.objects.update(WORKSPACES, placed, BY_KCP);
  const ready = withConditions(
    updated,
    [
      { type: 'WorkspaceInitialized', status: 'True' },
      { type: 'WorkspaceScheduled', status: 'True' },
    ],
    host.timestamp(),
  );
  parent.objects.update(WORKSPACES, withAt(ready, ['status', 'phase'], 'Ready'), STATUS_BY_KCP);
}

interface Origin {
  readonly type: string;
  readonly ownedBy: JsonObject | undefined;
  readonly createdBy: JsonObject | undefined;
}

/** Creates the object that describes a logical cluster. */
export function makeLogicalCluster(
  host: ControllerHost,
  cluster: LogicalCluster,
  { type, ownedBy, createdBy }: Origin,
): void {
  const isRoot = ownedBy === undefined;
  const object = cluster.objects.create(
    LOGICAL_CLUSTERS,
    {
      apiVersion: 'core.kcp.io/v1alpha1',
      kind: 'LogicalCluster',
      metadata: {
        name: 'cluster',
        finalizers: [LOGICAL_CLUSTER_FINALIZER],
        labels: { [PHASE]: 'Ready' },
        annotations: {
          [CLUSTER]: cluster.name,
          [SHARD]: cluster.shard.name,
          [TYPE]: type,
          [OWNER]: JSON.stringify({
            username: isRoot ? 'system:kcp-bootstrapper' : stringField(createdBy, 'username'),
          }),
          ...(isRoot ? {} : { [PATH]: cluster.path }),
        },
      },
      spec: {
        directlyDeletable: false,
        ...(isRoot ? {} : { createdBy, initializers: ['root:universal', 'system:apibindings'], owner: ownedBy }),
      },
    },
    BY_KCP,
  );
  const updated = withConditions(
    object,
    [
      ...(isRoot ? [{ type: 'APIBindingsReconciled', status: 'True' } as const] : []),
      { type: 'WorkspaceInitialized', status: 'True' },
    ],
    host.timestamp(),
  );
  const status = {
    ...objectField(updated, 'status'),
    URL: `${host.world.url}/clusters/${cluster.name}`,
    phase: 'Ready',
  };
  cluster.objects.update(LOGICAL_CLUSTERS, { ...updated, status }, STATUS_BY_KCP);
}

function end(host: ControllerHost, parent: LogicalCluster, workspace: JsonObject, assigned: string): void {
  const cluster = assigned === '' ? undefined : host.world.find(assigned);
  const object = cluster?.objects.get(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' });
  if (cluster !== undefined && object !== undefined) {
    if (!isDeleting(object)) cluster.objects.delete(LOGICAL_CLUSTERS, { namespace: '', name: 'cluster' });
    return;
  }
  const finalizers = (metaOf(workspace).finalizers ?? []).filter((finalizer) => finalizer !== WORKSPACE_FINALIZER);
  parent.objects.update(WORKSPACES, withMeta(workspace, { finalizers }), BY_KCP);
}

/** The shard with the label `name` that the workspace asks for, if any. */
function shardFor({ world }: ControllerHost, workspace: JsonObject): Shard | undefined {
  const selector = objectField(objectField(objectField(workspace, 'spec'), 'location'), 'selector');
  const wanted = stringField(objectField(selector, 'matchLabels'), 'name');
  return wanted === '' ? world.shards[0] : world.shards.find(({ name }) => name === wanted);
}

function typeOf(workspace: JsonObject): string {
  const type = objectField(objectField(workspace, 'spec'), 'type');
  return `${stringField(type, 'path') || 'root'}:${stringField(type, 'name') || 'universal'}`;
}

function readOwner(text: string | undefined): JsonObject {
  const owner = text === undefined ? undefined : objectField({ owner: parse(text) }, 'owner');
  return owner ?? { username: 'system:anonymous' };
}

/** The creator of a workspace is its administrator. */
function grantToOwner({ objects }: LogicalCluster, user: string): void {
  const resource = { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' };
  objects.create(
    resource,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'workspace-admin' },
      roleRef: { apiGroup: resource.group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', apiGroup: resource.group, name: user }],
    },
    BY_KCP,
  );
}
