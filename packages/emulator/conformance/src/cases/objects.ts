import type { JsonObject, JsonValue } from '@hawser/json';
import { fixtureGroup } from '../fixtures.js';

export const fixtureVersion = `${fixtureGroup}/v1`;

/** Further fields of metadata. */
export type Meta = JsonObject;

export function configMap(name: string, data: JsonObject = {}, meta: Meta = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...meta },
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

export function secret(name: string, fields: JsonObject = {}, meta: Meta = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, ...meta }, ...fields };
}

export function namespace(name: string, meta: Meta = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...meta } };
}

export function serviceAccount(name: string, fields: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, ...fields };
}

export function lease(name: string, spec: JsonObject = {}): JsonObject {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
}

export function coreEvent(name: string, namespaceName: string, fields: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: namespaceName },
    involvedObject: { kind: 'ConfigMap', namespace: namespaceName, name: 'one', apiVersion: 'v1' },
    reason: 'Tested',
    message: 'it was tested',
    type: 'Normal',
    source: { component: 'conformance' },
    firstTimestamp: '2020-01-01T00:00:00Z',
    lastTimestamp: '2020-01-01T00:00:00Z',
    count: 1,
    ...fields,
  };
}

export function role(name: string, rules: readonly JsonValue[]): JsonObject {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules };
}

export function clusterRole(name: string, rules: readonly JsonValue[], fields: JsonObject = {}): JsonObject {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules, ...fields };
}

export const user = (name: string): JsonObject => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name });

export function roleBinding(
  name: string,
  roleRef: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string },
  subjects: readonly JsonValue[],
): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
    subjects,
  };
}

export function clusterRoleBinding(name: string, roleName: string, subjects: readonly JsonValue[]): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
    subjects,
  };
}

/** One of the shared kinds. */
export function widget(name: string, spec: JsonObject = {}, meta: Meta = {}): JsonObject {
  return { apiVersion: fixtureVersion, kind: 'Widget', metadata: { name, ...meta }, spec };
}

export function gadget(name: string, spec: JsonObject = {}, meta: Meta = {}): JsonObject {
  return { apiVersion: fixtureVersion, kind: 'Gadget', metadata: { name, ...meta }, spec };
}

export function gear(name: string, spec: JsonObject = {}, version = 'v1'): JsonObject {
  return { apiVersion: `${fixtureGroup}/${version}`, kind: 'Gear', metadata: { name }, spec };
}
