import {
  type AdmittedWrite,
  type StatusError,
  type UserInfo,
  forbidden,
  isDeleting,
  metaOf,
  objectField,
  withAt,
  withMeta,
} from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { boundResourcesOf, exportHash, referenceOf } from '../bindings.js';
import { BINDINGS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { BINDING_FINALIZER, EXPORT, PATH } from '../names.js';
import { isResource } from '../resource.js';
import type { World } from '../world.js';

/** A binding records its workspace and export, and does not go before the resources it has bound. */
export function admitBinding(world: World, cluster: LogicalCluster, { object, previous }: AdmittedWrite): JsonObject {
  const { annotations = {}, labels = {}, finalizers = [] } = metaOf(object);
  const { path, name } = referenceOf(object);
  const found = world.findExport(cluster, path, name);
  // An unchanged reference may name a deleted export.
  const former = previous === undefined ? undefined : referenceOf(previous);
  if (found === undefined && (former?.path !== path || former.name !== name))
    throw noRight(object, path, name, previous === undefined ? 'create' : 'update');
  const label = found === undefined ? labels[EXPORT] : exportHash(found.cluster.name, name);
  const placed = withMeta(object, {
    annotations: { ...annotations, [PATH]: cluster.path },
    ...(label === undefined ? {} : { labels: { ...labels, [EXPORT]: label } }),
    ...(previous !== undefined || finalizers.includes(BINDING_FINALIZER)
      ? {}
      : { finalizers: [...finalizers, BINDING_FINALIZER] }),
  });
  const claims = objectField(placed, 'spec')?.['permissionClaims'];
  return Array.isArray(claims) && claims.length === 0
    ? withAt(placed, ['spec', 'permissionClaims'], undefined)
    : placed;
}

/** Binding requires verb `bind` on the export; users without it do not learn whether it exists. */
export function validateBinding(
  world: World,
  cluster: LogicalCluster,
  { object, previous, user }: AdmittedWrite,
): void {
  if (previous !== undefined || user === undefined) return;
  const { path, name } = referenceOf(object);
  const found = world.findExport(cluster, path, name);
  if (found === undefined || !mayBind(found.cluster, user, name)) throw noRight(object, path, name, 'create');
}

/** Refuses new objects of a resource whose binding is being deleted. */
export function refuseWhileUnbinding(cluster: LogicalCluster, { object, resource }: AdmittedWrite): void {
  if (cluster.bound.types().every((type) => !isResource(type, resource))) return;
  const going = cluster.objects.list(BINDINGS).filter(isDeleting).flatMap(boundResourcesOf);
  if (going.some((bound) => bound['group'] === resource.group && bound['resource'] === resource.resource)) {
    throw forbidden(
      resource,
      metaOf(object).name ?? '',
      'create not allowed while custom resource definition is terminating',
    );
  }
}

export function mayBind(cluster: LogicalCluster, user: UserInfo, name: string): boolean {
  return cluster.server.authorize({
    user,
    verb: 'bind',
    isResourceRequest: true,
    path: '',
    namespace: '',
    apiGroup: 'apis.kcp.io',
    apiVersion: 'v1alpha2',
    resource: 'apiexports',
    subresource: '',
    name,
  }).allowed;
}

function noRight(object: JsonObject, path: string, name: string, action: 'create' | 'update'): StatusError {
  return forbidden(
    BINDINGS,
    metaOf(object).name ?? '',
    `unable to ${action} APIBinding: no permission to bind to export ${path === '' ? name : `${path}:${name}`}`,
  );
}
