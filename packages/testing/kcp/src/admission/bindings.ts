import { type AdmittedWrite, type StatusError, type UserInfo, forbidden, metaOf, objectField, objectsField, withAt, withMeta } from '@hawser/apiserver';
import { type JsonObject, canonical, equal } from '@hawser/json';
import { exportHash, referenceOf } from '../bindings.js';
import { BINDINGS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { BINDING_FINALIZER, EXPORT, PATH } from '../names.js';
import type { World } from '../world.js';

/** A binding says where it is and what it binds, and is not gone before what it has brought. */
export function admitBinding(world: World, cluster: LogicalCluster, { object, previous }: AdmittedWrite): JsonObject {
  const { annotations = {}, labels = {}, finalizers = [] } = metaOf(object);
  const { path, name } = referenceOf(object);
  const found = world.findExport(cluster, path, name);
  if (found === undefined && previous === undefined) throw noRight(object, path, name);
  const label = found === undefined ? labels[EXPORT] : exportHash(found.cluster.name, name);
  const placed = withMeta(object, {
    annotations: { ...annotations, [PATH]: cluster.path },
    ...(label === undefined ? {} : { labels: { ...labels, [EXPORT]: label } }),
    ...(previous !== undefined || finalizers.includes(BINDING_FINALIZER) ? {} : { finalizers: [...finalizers, BINDING_FINALIZER] }),
  });
  const claims = objectField(placed, 'spec')?.['permissionClaims'];
  return Array.isArray(claims) && claims.length === 0 ? withAt(placed, ['spec', 'permissionClaims'], undefined) : placed;
}

/** Who binds must have verb `bind` on the export; that there is none is not told to others. */
export function validateBinding(world: World, cluster: LogicalCluster, { object, previous, user }: AdmittedWrite): void {
  checkSelectors(object, previous);
  if (previous !== undefined || user === undefined) return;
  const { path, name } = referenceOf(object);
  const found = world.findExport(cluster, path, name);
  if (found === undefined || !mayBind(found.cluster, user, name)) throw noRight(object, path, name);
}

/** The selector of a claim that is there must stay as it is. */
function checkSelectors(object: JsonObject, previous: JsonObject | undefined): void {
  if (previous === undefined) return;
  const before = objectsField(objectField(previous, 'spec'), 'permissionClaims');
  for (const [index, claim] of objectsField(objectField(object, 'spec'), 'permissionClaims').entries()) {
    const known = before.find((each) => each['group'] === claim['group'] && each['resource'] === claim['resource'] && each['identityHash'] === claim['identityHash']);
    const was = objectField(known, 'selector');
    const is = objectField(claim, 'selector') ?? {};
    if (was !== undefined && !equal(was, is)) throw forbidden(BINDINGS, metaOf(object).name ?? '', `[spec.permissionClaims[${index}].selector: Invalid value: ${canonical(is)}: field is immutable]`);
  }
}

export function mayBind(cluster: LogicalCluster, user: UserInfo, name: string): boolean {
  return cluster.server.authorize({
    user, verb: 'bind', isResourceRequest: true, path: '', namespace: '', apiGroup: 'apis.kcp.io', apiVersion: 'v1alpha2', resource: 'apiexports', subresource: '', name,
  }).allowed;
}

function noRight(object: JsonObject, path: string, name: string): StatusError {
  return forbidden(BINDINGS, metaOf(object).name ?? '', `unable to create APIBinding: no permission to bind to export ${path === '' ? name : `${path}:${name}`}`);
}
