import type { KubeObject } from '@hawser/client';
import { type APIServiceExport as InlineExport, klutchDialect } from '@hawser/klutch';
import {
  type APIServiceExport,
  apiVersion,
  type BoundSchema,
  fixedNames,
  type GroupResource,
  type InformerScope,
  type Isolation,
  kubeBindDialect,
  type PermissionClaim,
} from '@hawser/kube-bind';
import { consumerRoles } from '../consumer-roles.js';
import type { ObservedConsumer } from '../observed.js';
import { type BindingObject, rbacGroup, rbacVersion } from '../rbac-objects.js';
import type { RequestObject } from '../request-rights.js';

const early = '2026-01-01T00:00:00Z';

export const databases: GroupResource = { group: 'example.com', resource: 'databases' };
export const zones: GroupResource = { group: 'example.com', resource: 'zones' };
export const consumer = 'kube-bind-a';

export function exportOf(
  resource: GroupResource,
  fields: {
    readonly name?: string;
    readonly isolation?: Isolation;
    readonly claims?: readonly string[];
    readonly metadata?: object;
    readonly status?: APIServiceExport['status'];
  } = {},
): APIServiceExport {
  const { name = resource.resource, isolation = 'Prefixed', claims = [], metadata = {}, status } = fields;
  const permissionClaims = claims.map((claimed): PermissionClaim => ({ group: '', resource: claimed, selector: {} }));
  return {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name, namespace: consumer, uid: `uid-${name}`, ...metadata },
    spec: {
      resources: [resource],
      informerScope: 'Namespaced',
      isolation,
      ...(permissionClaims.length === 0 ? {} : { permissionClaims }),
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** In the form of Klutch. */
export function inlineExportOf(
  { group = '', resource }: GroupResource,
  fields: {
    readonly scope?: 'Cluster' | 'Namespaced';
    readonly informerScope?: InformerScope;
    readonly claims?: readonly GroupResource[];
  } = {},
): InlineExport {
  const { scope = 'Namespaced', informerScope = 'Namespaced', claims = [] } = fields;
  return {
    apiVersion: klutchDialect.apiVersion,
    kind: 'APIServiceExport',
    metadata: { name: `${resource}.${group}`, namespace: consumer, uid: `uid-${resource}` },
    spec: {
      group,
      names: { plural: resource, kind: 'K' },
      scope,
      versions: [],
      informerScope,
      ...(claims.length === 0 ? {} : { permissionClaims: claims }),
    },
  };
}

/** A request answered with the export of its name; in Klutch, with those of its resources. */
export function requestOf(
  asked: readonly GroupResource[],
  fields: { readonly name?: string; readonly status?: RequestObject['status'] } = {},
): RequestObject {
  const {
    name = asked[0]?.resource ?? '',
    status = {
      phase: 'Succeeded',
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: early },
        { type: 'ExportsReady', status: 'True', lastTransitionTime: early },
      ],
    },
  } = fields;
  return {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: { name, namespace: consumer, uid: `uid-${name}` },
    spec: { resources: asked },
    status,
  };
}

export function schemaOf(
  { group = '', resource }: GroupResource,
  scope: 'Namespaced' | 'Cluster',
  informerScope: 'Namespaced' | 'Cluster' = 'Namespaced',
): BoundSchema {
  return {
    apiVersion,
    kind: 'BoundSchema',
    metadata: { name: `${resource}.${group}`, namespace: consumer, uid: 'uid-schema', resourceVersion: '7' },
    spec: { informerScope, group, names: { plural: resource, kind: 'K' }, scope, versions: [] },
  };
}

export function namespace(
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  metadata: object = {},
): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `uid-${name}`, annotations, ...metadata } };
}

/** A namespace made for `consumer`. */
export function serviceNamespace(
  consumerNamespace: string,
  annotations: Readonly<Record<string, string>> = {
    'kube-bind.io/api-service-namespace': `${consumer}/${consumerNamespace}`,
  },
  name = `${consumer}-${consumerNamespace}`,
  isShared = false,
): ObservedConsumer['serviceNamespaces'][number] {
  return { consumerNamespace, name, isShared, namespace: namespace(name, annotations) };
}

export function observed(fields: Partial<ObservedConsumer> = {}): ObservedConsumer {
  return {
    clusterNamespace: consumer,
    namespace: namespace(consumer, { 'backend.kube-bind.io/identity': 'a' }),
    prefixSharedWith: undefined,
    exports: [],
    requests: [],
    boundSchemas: new Map(),
    serviceNamespaces: [],
    bindings: [],
    roles: new Map(consumerRoles([databases, zones], kubeBindDialect).map((role) => [role.metadata.name, role])),
    policy: { kind: 'enforced' },
    ...fields,
  };
}

export function klutchObserved(fields: Partial<ObservedConsumer> = {}): ObservedConsumer {
  return observed({
    namespace: namespace(consumer, { 'example-backend.klutch.anynines.com/identity': 'a#b' }),
    roles: new Map(consumerRoles([databases, zones], klutchDialect).map((role) => [role.metadata.name, role])),
    ...fields,
  });
}

export function schemas(...all: readonly BoundSchema[]): ReadonlyMap<string, BoundSchema> {
  return new Map(all.map((schema) => [schema.metadata.name, schema]));
}

/** A binding in the API server's form. */
export function binding(
  name: string,
  role: string,
  namespaceName?: string,
  fields: Partial<BindingObject> = {},
): BindingObject {
  return {
    apiVersion: rbacVersion,
    kind: namespaceName === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '3',
      ...(namespaceName === undefined ? {} : { namespace: namespaceName }),
      labels: { 'hawser.dev/consumer': consumer },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: consumer, uid: `uid-${consumer}` }],
    },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: fixedNames.binder, namespace: consumer }],
    ...fields,
  };
}
