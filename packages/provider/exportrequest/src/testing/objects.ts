import type {
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceExportRequestSpec,
  APIServiceExportRequestStatus,
  APIServiceExportTemplate,
  APIServiceNamespace,
  BoundSchema,
  CustomResourceDefinition,
} from '@hawser/kube-bind';

// Objects for tests of decisions.

export const clusterNamespace = 'kube-bind-acme';
const apiVersion = 'kube-bind.io/v1alpha2';

export function crd(
  plural: string,
  scope = 'Namespaced',
  versions: readonly string[] = ['v1'],
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com`, labels: { 'kube-bind.io/exported': 'true' } },
    spec: {
      group: 'example.com',
      names: { plural, kind: plural, singular: plural, listKind: `${plural}List` },
      scope,
      conversion: { strategy: 'None' },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
      })),
    },
    status: {
      conditions: [
        { type: 'Established', status: 'True' },
        { type: 'NamesAccepted', status: 'True' },
      ],
    },
  };
}

export function request(
  spec: Partial<APIServiceExportRequestSpec> = {},
  status: APIServiceExportRequestStatus = { phase: 'Pending' },
): APIServiceExportRequest {
  return {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: { name: 'databases', namespace: clusterNamespace, uid: 'request-uid' },
    spec: {
      resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
      schemaUpdatePolicy: 'Never',
      ...spec,
    },
    status,
  };
}

export function apiExport(overrides: Partial<APIServiceExport['spec']> = {}, name = 'databases'): APIServiceExport {
  return {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name, namespace: clusterNamespace, uid: `${name}-uid` },
    spec: {
      resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
      informerScope: 'Cluster',
      isolation: 'Prefixed',
      ...overrides,
    },
  };
}

export function ownedBy(owner: string, controller = true): object {
  return {
    apiVersion,
    kind: 'APIServiceExport',
    name: owner,
    uid: `${owner}-uid`,
    ...(controller ? { controller: true, blockOwnerDeletion: true } : {}),
  };
}

export function boundSchema(
  spec: BoundSchema['spec'],
  hash: string,
  ownerReferences: readonly object[] = [],
): BoundSchema {
  return {
    apiVersion,
    kind: 'BoundSchema',
    metadata: {
      name: `${spec?.names.plural ?? ''}.example.com`,
      namespace: clusterNamespace,
      uid: 'schema-uid',
      resourceVersion: '7',
      annotations: { 'kube-bind.io/source-spec-hash': hash },
      ownerReferences: ownerReferences as NonNullable<BoundSchema['metadata']['ownerReferences']>,
    },
    spec,
  };
}

export function serviceNamespace(name: string, ownerReferences?: readonly object[]): APIServiceNamespace {
  return {
    apiVersion,
    kind: 'APIServiceNamespace',
    metadata: {
      name,
      namespace: clusterNamespace,
      ...(ownerReferences === undefined
        ? {}
        : { ownerReferences: ownerReferences as NonNullable<APIServiceNamespace['metadata']['ownerReferences']> }),
    },
  };
}

export function template(
  name: string,
  spec: Partial<APIServiceExportTemplate['spec']> = {},
  annotations: Record<string, string> = {},
): APIServiceExportTemplate {
  return {
    apiVersion,
    kind: 'APIServiceExportTemplate',
    metadata: { name, annotations },
    spec: {
      scope: 'Namespaced',
      resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
      schemaUpdatePolicy: 'Never',
      ...spec,
    },
  };
}
