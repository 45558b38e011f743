import {
  type GroupResource,
  type ResourceType,
  isDeleting,
  metaOf,
  objectField,
  objectsField,
  stringField,
  stringsField,
  withAt,
  withField,
  withMeta,
} from '@hawser/apiserver';
import { type JsonObject, equal } from '@hawser/json';
import { REFLEXIVE_CLAIM, acceptedClaimsOf, boundResourcesOf, claimLabel, exportOf, referenceOf } from '../bindings.js';
import { type KcpCondition, conditionsOf, withConditions } from '../conditions.js';
import { isSameClaim } from '../kinds/claims.js';
import { BINDINGS, SCHEMAS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { BINDING_FINALIZER } from '../names.js';
import { isAdopted } from './adoption.js';
import type { World } from '../world.js';
import { BY_KCP, type ControllerHost, STATUS_BY_KCP } from './controller.js';

const DEFINITIONS: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const COMPLETED = 'InitialBindingCompleted';
const WAITING: KcpCondition = {
  type: COMPLETED,
  status: 'False',
  severity: 'Info',
  reason: 'WaitingForEstablished',
  message: 'Waiting for API(s) to be established',
};

/** Serves a binding's resources in its workspace, and removes them with all objects when the binding goes. */
export function syncBinding(host: ControllerHost, cluster: LogicalCluster, name: string): void {
  const binding = cluster.objects.get(BINDINGS, { namespace: '', name });
  if (binding === undefined) {
    serveBound(host.world, cluster);
    return;
  }
  if (isDeleting(binding)) release(host, cluster, binding);
  else bind(host, cluster, binding);
}

/** Serves what the bindings of a workspace record. */
export function serveBound(world: World, cluster: LogicalCluster): void {
  const types = new Map<string, ResourceType>();
  for (const binding of cluster.objects.list(BINDINGS)) {
    const provider = world.find(stringField(objectField(binding, 'status'), 'apiExportClusterName'));
    for (const bound of boundResourcesOf(binding)) {
      const schema = objectField(bound, 'schema');
      const name = stringField(schema, 'name');
      const stored = provider?.objects.get(SCHEMAS, { namespace: '', name });
      const key = `${stringField(bound, 'group')}/${stringField(bound, 'resource')}`;
      if (stored !== undefined) types.set(key, world.schemaTypes.typeOf(stored, stringField(schema, 'identityHash')));
      // The schema is gone; the bound resource stays.
      else {
        const served = cluster.bound.types().find((type) => `${type.group}/${type.resource}` === key);
        if (served !== undefined) types.set(key, served);
      }
    }
  }
  const before = cluster.bound.types();
  cluster.bound.set([...types.values()]);
  // Restarts watches of resources that changed or are no longer served.
  const now = new Set(types.values());
  for (const type of before) if (!now.has(type)) cluster.server.handlers.watches.endBucket(type.bucket);
}

function bind(host: ControllerHost, cluster: LogicalCluster, binding: JsonObject): void {
  const { path, name } = referenceOf(binding);
  const found = host.world.findExport(cluster, path, name);
  const phase = stringField(objectField(binding, 'status'), 'phase');
  const begun = withAt(binding, ['status', 'phase'], phase === '' ? 'Binding' : phase);
  if (found === undefined) {
    const message = `APIExport ${path}|${name} not found`;
    store(host, cluster, binding, begun, [invalidExport('APIExportNotFound', message)]);
    return;
  }
  const identityHash = stringField(objectField(found.object, 'status'), 'identityHash');
  if (identityHash === '') return;
  const next = withAt(begun, ['status', 'apiExportClusterName'], found.cluster.name);
  const resources = resourcesOf(host.world, found.cluster, found.object, identityHash);
  if (typeof resources === 'string') {
    const message = `Invalid APIExport. Please contact the APIExport owner to resolve: APIResourceSchema ${JSON.stringify(resources)} not found`;
    refuse(host, cluster, binding, next, found.object, [invalidExport('InternalError', message)]);
    return;
  }
  const types = resources.map(({ type }) => type);
  const conflict = conflictOf(cluster, binding, types);
  if (conflict !== undefined) {
    const problem = {
      status: 'False',
      severity: 'Error',
      reason: 'NamingConflicts',
      message: `Unable to bind APIs because they are bound by other APIBindings or CRDs: ${conflict}`,
    } as const;
    refuse(host, cluster, binding, next, found.object, [
      { type: 'APIExportValid', status: 'True' },
      { type: 'BindingUpToDate', ...problem },
      ...(phase === 'Bound' ? [] : [{ type: COMPLETED, ...problem }]),
    ]);
    return;
  }
  const bound = resources.map((resource) => resource.bound);
  const served = withAt(next, ['status', 'boundResources'], withFormer(boundResourcesOf(binding), bound));
  store(host, cluster, binding, withClaims(withAt(served, ['status', 'phase'], 'Bound'), found.object), [
    { type: 'APIExportValid', status: 'True' },
    { type: 'BindingUpToDate', status: 'True' },
    { type: 'InitialBindingCompleted', status: 'True' },
    ...claimConditions(binding, found.object),
  ]);
  serveBound(host.world, cluster);
  mark(cluster, metaOf(binding).name ?? '');
  host.enqueue({ kind: 'claims', cluster: cluster.name, name: '' });
}

function invalidExport(reason: string, message: string): KcpCondition {
  return { type: 'APIExportValid', status: 'False', severity: 'Error', reason, message };
}

/** Reports claims nevertheless. */
function refuse(
  host: ControllerHost,
  cluster: LogicalCluster,
  binding: JsonObject,
  next: JsonObject,
  apiExport: JsonObject,
  conditions: readonly KcpCondition[],
): void {
  store(host, cluster, binding, withClaims(next, apiExport), [...conditions, ...claimConditions(binding, apiExport)]);
  mark(cluster, metaOf(binding).name ?? '');
}

interface Bound {
  readonly type: ResourceType;
  readonly bound: JsonObject;
}

/** Resources of an export, or the name of a missing schema. */
function resourcesOf(
  world: World,
  provider: LogicalCluster,
  export_: JsonObject,
  identityHash: string,
): readonly Bound[] | string {
  const found: Bound[] = [];
  for (const resource of objectsField(objectField(export_, 'spec'), 'resources')) {
    const name = stringField(resource, 'schema');
    const schema = provider.objects.get(SCHEMAS, { namespace: '', name });
    if (schema === undefined) return name;
    const type = world.schemaTypes.typeOf(schema, identityHash);
    found.push({
      type,
      bound: {
        group: type.group,
        resource: type.resource,
        schema: { UID: metaOf(schema).uid ?? '', identityHash, name },
        storageVersions: [type.storageVersion],
      },
    });
  }
  return found;
}

/** Keeps all versions in which objects may be stored. */
function withFormer(former: readonly JsonObject[], current: readonly JsonObject[]): readonly JsonObject[] {
  return current.map((bound) => {
    const before = former.find((each) => each['group'] === bound['group'] && each['resource'] === bound['resource']);
    return {
      ...bound,
      storageVersions: [
        ...new Set([...stringsField(before, 'storageVersions'), ...stringsField(bound, 'storageVersions')]),
      ].sort(),
    };
  });
}

function withClaims(binding: JsonObject, export_: JsonObject): JsonObject {
  const exported = objectsField(objectField(export_, 'spec'), 'permissionClaims');
  const applied = acceptedClaimsOf(binding)
    .filter((claim) => exported.some((each) => isSameClaim(each, claim)))
    .map((claim) => withField(claim, 'state', undefined))
    .sort((a, b) => (claimKey(a) < claimKey(b) ? -1 : 1));
  const withExported = withAt(
    binding,
    ['status', 'exportPermissionClaims'],
    exported.length === 0 ? undefined : exported,
  );
  return withAt(withExported, ['status', 'appliedPermissionClaims'], applied.length === 0 ? undefined : applied);
}

const claimKey = (claim: JsonObject): string =>
  `${stringField(claim, 'resource')}/${stringField(claim, 'group')}/${stringField(claim, 'identityHash')}`;

function claimConditions(binding: JsonObject, export_: JsonObject): readonly KcpCondition[] {
  const exported = objectsField(objectField(export_, 'spec'), 'permissionClaims');
  const unexpected = acceptedClaimsOf(binding).filter((claim) => !exported.some((each) => isSameClaim(each, claim)));
  const applied: KcpCondition = { type: 'PermissionClaimsApplied', status: 'True' };
  if (unexpected.length === 0) return [applied, { type: 'PermissionClaimsValid', status: 'True' }];
  const message = `${unexpected.length} unexpected and/or invalid permission claims (showing first ${Math.min(unexpected.length, 10)}): ${unexpected
    .slice(0, 10)
    .map((claim) => `unexpected claim for ${claimKey(claim)}`)
    .join(', ')}`;
  return [
    applied,
    { type: 'PermissionClaimsValid', status: 'False', severity: 'Error', reason: 'InvalidPermissionClaims', message },
  ];
}

/** Resources that other bindings, or CRDs of the workspace, already serve: as Go prints their map. */
function conflictOf(cluster: LogicalCluster, binding: JsonObject, types: readonly ResourceType[]): string | undefined {
  const isOwn = (type: ResourceType): boolean =>
    boundResourcesOf(binding).some((bound) => bound['group'] === type.group && bound['resource'] === type.resource);
  const taken = types
    .filter((type) => !isOwn(type))
    .flatMap((type) => {
      const name = `${type.resource}.${type.group}`;
      if (cluster.objects.get(DEFINITIONS, { namespace: '', name }) !== undefined) return [`${name}:{ true}`];
      const other = cluster.objects
        .list(BINDINGS)
        .find(
          (each) =>
            metaOf(each).name !== metaOf(binding).name &&
            boundResourcesOf(each).some(
              (bound) => bound['group'] === type.group && bound['resource'] === type.resource,
            ),
        );
      return other === undefined ? [] : [`${name}:{${metaOf(other).name ?? ''} false}`];
    });
  return taken.length === 0 ? undefined : `map[${taken.sort().join(' ')}]`;
}

function store(
  host: ControllerHost,
  cluster: LogicalCluster,
  before: JsonObject,
  next: JsonObject,
  conditions: readonly KcpCondition[],
): void {
  // `Ready` says whether the initial binding was completed, whatever follows.
  const completed =
    conditions.find(({ type }) => type === COMPLETED) ??
    (conditionsOf(before).some(({ type, status }) => type === COMPLETED && status === 'True')
      ? { type: COMPLETED, status: 'True' as const }
      : WAITING);
  const updated = withConditions(
    next,
    [...conditions.filter(({ type }) => type !== COMPLETED), completed, { ...completed, type: 'Ready' }],
    host.timestamp(),
  );
  if (!equal(updated, before)) cluster.objects.update(BINDINGS, updated, STATUS_BY_KCP);
}

/** The label that shows the binding itself to the provider. */
function mark(cluster: LogicalCluster, name: string): void {
  const binding = cluster.objects.get(BINDINGS, { namespace: '', name });
  if (binding === undefined) return;
  const label = claimLabel(exportOf(binding));
  const { labels = {} } = metaOf(binding);
  if (labels[label] === undefined)
    cluster.objects.update(BINDINGS, withMeta(binding, { labels: { ...labels, [label]: REFLEXIVE_CLAIM } }), BY_KCP);
}

function release(host: ControllerHost, cluster: LogicalCluster, binding: JsonObject): void {
  const finalizers = metaOf(binding).finalizers ?? [];
  if (!finalizers.includes(BINDING_FINALIZER)) return;
  let left = 0;
  const waiting = new Set<string>();
  for (const bound of boundResourcesOf(binding)) {
    if (isAdopted(host.world, cluster, binding, bound)) continue;
    const resource: GroupResource = { group: stringField(bound, 'group'), resource: stringField(bound, 'resource') };
    for (const object of cluster.objects.list(resource)) {
      const { namespace = '', name = '' } = metaOf(object);
      if (!isDeleting(object))
        cluster.objects.delete(resource, { namespace, name }, { propagationPolicy: 'Background' });
    }
    const remaining = cluster.objects.list(resource);
    left += remaining.length;
    for (const finalizer of remaining.flatMap((object) => metaOf(object).finalizers ?? []))
      waiting.add(`${finalizer} in ${remaining.length} resource instances`);
  }
  if (left > 0) {
    const message = `Some content in the workspace has finalizers remaining: ${[...waiting].sort().join(', ')}`;
    const updated = withConditions(
      binding,
      [
        {
          type: 'BindingResourceDeleteSuccess',
          status: 'False',
          severity: 'Error',
          reason: 'SomeFinalizersRemain',
          message,
        },
      ],
      host.timestamp(),
    );
    if (!equal(updated, binding)) cluster.objects.update(BINDINGS, updated, STATUS_BY_KCP);
    return;
  }
  cluster.objects.update(
    BINDINGS,
    withMeta(binding, { finalizers: finalizers.filter((finalizer) => finalizer !== BINDING_FINALIZER) }),
    BY_KCP,
  );
  serveBound(host.world, cluster);
}
