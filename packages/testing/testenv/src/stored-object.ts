import type { Resource } from '@hawser/client';
import { type JsonObject, type JsonValue, parse, stringify } from '@hawser/json';
import type { EtcdEntry } from './etcd.js';

/** An object and its resource in storage. */
export interface StoredObject {
  readonly resource: Resource;
  /** Complete, with apiVersion and kind. */
  readonly object: JsonObject;
}

/**
 * Reads a recording: a JSON object that maps list paths (`/api/v1/secrets`, `/apis/example.com/v1/databases`) to their
 * items. Lists of built-in types omit apiVersion and kind of their items; fills them in. Integers keep all their
 * digits.
 */
export function parseRecording(text: string): StoredObject[] {
  const lists = asObject(parse(text), 'a recording');
  return Object.entries(lists).flatMap(([path, items]) => {
    const resource = resourceOf(path);
    if (!Array.isArray(items)) throw new TypeError(`${path}: not a list of items`);
    return (items as readonly JsonValue[]).map((item) => complete(resource, asObject(item, path)));
  });
}

/**
 * Converts `objects` to etcd entries. The API server reads JSON there as well as its own encoding. Objects keep uid,
 * times, managedFields and status; the server assigns the resourceVersion.
 */
export function etcdEntries(objects: readonly StoredObject[]): EtcdEntry[] {
  return objects.map(({ resource, object }) => {
    const metadata = asObject(object['metadata'], 'metadata');
    return {
      key: etcdKey(resource, metadata),
      value: stringify({ ...object, metadata: { ...metadata, resourceVersion: undefined } }),
    };
  });
}

function etcdKey(resource: Resource, metadata: JsonObject): string {
  const name = metadata['name'];
  if (typeof name !== 'string' || name === '') throw new TypeError(`an object of ${resource.resource} has no name`);
  const namespace = metadata['namespace'];
  const folder = builtIn[qualified(resource)]?.folder ?? `${resource.group}/${resource.resource}`;
  return ['/registry', folder, ...(typeof namespace === 'string' ? [namespace] : []), name].join('/');
}

function complete(resource: Resource, object: JsonObject): StoredObject {
  const kind = object['kind'] ?? builtIn[qualified(resource)]?.kind;
  if (kind === undefined)
    throw new TypeError(`the kind of ${qualified(resource)} is not known, and the recording does not say it`);
  const apiVersion =
    object['apiVersion'] ?? (resource.group === '' ? resource.version : `${resource.group}/${resource.version}`);
  return { resource, object: { ...object, apiVersion, kind } };
}

function resourceOf(path: string): Resource {
  const match = /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)\/(?<resource>[^/]+)$/u.exec(path);
  const { group = '', version, resource } = match?.groups ?? {};
  if (version === undefined || resource === undefined) throw new TypeError(`${path} is not the path of a list`);
  return { group, version, resource };
}

/** `configmaps`, `roles.rbac.authorization.k8s.io`: Kubernetes' form of a resource without its version. */
export function qualified(resource: Resource): string {
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

interface BuiltIn {
  readonly kind: string;
  /** Below `/registry`. Built-in types are stored without their group. */
  readonly folder: string;
}

/** Built-in types that tests have needed so far. Custom resources need no entry. */
const builtIn: Readonly<Record<string, BuiltIn>> = {
  configmaps: { kind: 'ConfigMap', folder: 'configmaps' },
  events: { kind: 'Event', folder: 'events' },
  namespaces: { kind: 'Namespace', folder: 'namespaces' },
  secrets: { kind: 'Secret', folder: 'secrets' },
  serviceaccounts: { kind: 'ServiceAccount', folder: 'serviceaccounts' },
  'clusterroles.rbac.authorization.k8s.io': { kind: 'ClusterRole', folder: 'clusterroles' },
  'clusterrolebindings.rbac.authorization.k8s.io': { kind: 'ClusterRoleBinding', folder: 'clusterrolebindings' },
  'roles.rbac.authorization.k8s.io': { kind: 'Role', folder: 'roles' },
  'rolebindings.rbac.authorization.k8s.io': { kind: 'RoleBinding', folder: 'rolebindings' },
  'leases.coordination.k8s.io': { kind: 'Lease', folder: 'leases' },
  'customresourcedefinitions.apiextensions.k8s.io': {
    kind: 'CustomResourceDefinition',
    folder: 'apiextensions.k8s.io/customresourcedefinitions',
  },
};

function asObject(value: JsonValue | undefined, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${what}: not a JSON object`);
  return value as JsonObject;
}

/** Whether `resource` is custom, not built in. */
export function isCustom(resource: Resource): boolean {
  return builtIn[qualified(resource)] === undefined;
}
