import type { KubeObject, ObjectKey, Resource } from './object.js';

/** Key of an object in caches and queues: `namespace/name`, or `name` for cluster-scoped objects. */
export function objectKey(object: KubeObject | ObjectKey): string {
  const { namespace, name } = 'metadata' in object ? object.metadata : object;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The {@link ObjectKey} of an object. */
export function keyOf(object: Pick<KubeObject, 'metadata'>): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? { name } : { namespace, name };
}

/** `uid/resourceVersion`: identifies one state of one object. */
export function versionOf({ metadata: { uid = '', resourceVersion = '' } }: Pick<KubeObject, 'metadata'>): string {
  return `${uid}/${resourceVersion}`;
}

/** `databases.example.com`; `secrets` for the core group. Also the name of the CRD. */
export function resourceName(resource: Resource): string {
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

/** `example.com/v1`; `v1` for the core group. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Whether both are the same resource in the same version. */
export function isSameResource(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}
