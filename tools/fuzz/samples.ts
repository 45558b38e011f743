// Well-formed values for every reader, small enough to damage at every place.
import { kubeBindDialect } from '../../packages/api/kube-bind/src/index.ts';

const apiVersion = 'kube-bind.io/v1alpha2';
const metadata = (name: string, more: object = {}): object => ({
  name,
  namespace: 'kube-bind-x',
  uid: `uid-${name}`,
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'db' },
  annotations: { note: 'x' },
  finalizers: ['example.com/f'],
  ownerReferences: [{ apiVersion, kind: 'APIServiceExport', name: 'databases', uid: 'u' }],
  ...more,
});

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'string', enum: ['small', 'large'], pattern: '^[a-z]+$', maxLength: 10 },
        replicas: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        settings: { type: 'object', additionalProperties: { type: 'string' } },
        port: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [{ rule: 'self.replicas < 9 || self.size == "large"', message: 'too many' }],
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
};
const names = {
  plural: 'databases',
  singular: 'database',
  kind: 'Database',
  listKind: 'DatabaseList',
  shortNames: ['db'],
  categories: ['all'],
};
const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  subresources: { status: {} },
  additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
};

export const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: metadata('databases.example.com', { labels: { 'kube-bind.io/exported': 'true' } }),
  spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version], conversion: { strategy: 'None' } },
};
export const boundSchema = {
  apiVersion,
  kind: 'BoundSchema',
  metadata: metadata('databases.example.com'),
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    informerScope: 'Namespaced',
    names,
    versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
    conversion: { strategy: 'None' },
  },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
};
export const inlineExport = {
  apiVersion: 'klutch.anynines.com/v1alpha1',
  kind: 'APIServiceExport',
  metadata: metadata('databases.example.com'),
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    informerScope: 'Namespaced',
    names,
    versions: [version],
    permissionClaims: [
      {
        group: '',
        version: 'v1',
        resource: 'secrets',
        selector: { names: ['*'], namespaces: ['*'], owner: 'Provider' },
      },
    ],
  },
};

export const database = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: {
    name: 'one',
    namespace: 'team-a',
    uid: 'consumer-uid',
    resourceVersion: '10',
    generation: 1,
    finalizers: ['kubebind.io/syncer'],
    labels: { app: 'db' },
    annotations: {
      'kube-bind.io/provider-namespace': 'kube-bind-x-team-a',
      'kube-bind.io/provider-uid': 'copy-uid',
      'hawser.dev/pause': '',
    },
  },
  spec: {
    size: 'small',
    replicas: 2,
    tags: ['a', 'b'],
    settings: { a: 'b' },
    port: 'http',
    free: { deep: { er: [1, { a: null }] } },
  },
  status: { ready: true },
};
export const copy = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: {
    name: 'one',
    namespace: 'kube-bind-x-team-a',
    uid: 'copy-uid',
    resourceVersion: '20',
    labels: { app: 'db' },
    annotations: {
      'kube-bind.io/cluster-namespace': 'kube-bind-x',
      'kube-bind.io/consumer-namespace': 'team-a',
      'kube-bind.io/consumer-uid': 'consumer-uid',
      'hawser.dev/consumer-identity': 'cluster-1',
      'hawser.dev/consumer-name': 'one',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'kube-bind-x', uid: 'n' }],
    managedFields: [
      {
        manager: 'konnector',
        operation: 'Apply',
        apiVersion: 'example.com/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:size': {} } },
      },
    ],
  },
  spec: { size: 'large', replicas: 2, tags: ['a'], settings: {} },
  status: { ready: false, more: [1] },
};
export const pairSettings = {
  dialect: kubeBindDialect,
  isolation: 'ServiceNamespace',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'ns-uid',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};
export const pair = (consumer: unknown, provider: unknown): object => ({
  consumerKey: { namespace: 'team-a', name: 'one' },
  consumer,
  placement: { kind: 'placed', key: { namespace: 'kube-bind-x-team-a', name: 'one' } },
  copy: provider,
  copyCacheReady: true,
  deletionProof: undefined,
  memory: {},
  now: 1_000,
});

export const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: {
    name: 's',
    namespace: 'kube-bind-x-team',
    uid: 'up',
    resourceVersion: '1',
    labels: { app: 'db', 'kube-bind.io/owner': 'provider' },
    annotations: {
      'kube-bind.io/provider-uid': 'x',
      'hawser.dev/provider-identity': 'cn',
      'hawser.dev/provider-name': 's',
    },
  },
  data: { password: 'aGVsbG8=' },
  immutable: false,
};
export const claimSettings = {
  consumerCluster: 'cc',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'cn',
  namespaceGraceMs: 30_000,
};
export const claimed = (provider: unknown): object => ({
  name: 's',
  consumerNamespace: 'team',
  cached: { provider },
  contents: { provider },
  placement: { kind: 'assigned', namespace: 'kube-bind-x-team' },
  cacheReady: { consumer: true, provider: true },
  claimedBy: { consumer: [], provider: ['b'] },
  protection: {},
  memory: {},
  now: 1_000,
});
export const claims = [
  {
    group: '',
    resource: 'secrets',
    selector: {
      labelSelector: { matchLabels: { app: 'db' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      namedResources: [{ name: 'a', namespace: 'b' }],
      references: [
        {
          resource: 'databases',
          group: 'example.com',
          jsonPath: { name: 'spec.secretName', namespace: 'metadata.namespace' },
        },
      ],
    },
  },
];

export const binding = {
  apiVersion,
  kind: 'APIServiceBinding',
  metadata: {
    name: 'databases',
    uid: 'b',
    resourceVersion: '1',
    annotations: {
      'hawser.dev/conflicts': 'Fail',
      'hawser.dev/unbind-policy': 'Orphan',
      'hawser.dev/drift': 'Correct',
      'hawser.dev/paused': '',
    },
  },
  spec: { kubeconfigSecretRef: { name: 'kubeconfig', namespace: 'kube-bind', key: 'kubeconfig' } },
  status: {
    boundSchemas: [{ group: 'example.com', resource: 'databases' }],
    permissionClaims: claims,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
};
export const apiExport = {
  apiVersion,
  kind: 'APIServiceExport',
  metadata: metadata('databases', { annotations: { 'hawser.dev/withdrawn': '', 'hawser.dev/request': 'u' } }),
  spec: {
    resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
    permissionClaims: claims,
    informerScope: 'Namespaced',
    isolation: 'Prefixed',
  },
  status: {
    conditions: [
      { type: 'RightsGranted', status: 'False', reason: 'X', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
};
export const clusterBinding = {
  apiVersion,
  kind: 'ClusterBinding',
  metadata: metadata('cluster'),
  spec: { providerPrettyName: 'P', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
  status: {
    lastHeartbeatTime: '2026-01-01T00:00:00Z',
    heartbeatInterval: '5m0s',
    konnectorVersion: 'v1',
    conditions: [{ type: 'Healthy', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
};
export const request = {
  apiVersion,
  kind: 'APIServiceExportRequest',
  metadata: metadata('databases'),
  spec: {
    resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
    permissionClaims: claims,
    namespaces: [{ name: 'team-a' }],
    schemaUpdatePolicy: 'Always',
  },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
};
export const requested = (one: unknown): object => ({
  request: one,
  sources: new Map(),
  boundSchemas: new Map(),
  export: undefined,
  namespaces: new Map(),
  made: { exports: 0, namespaces: 0 },
});
export const onboarding = {
  apiVersion,
  kind: 'BindableResourcesRequest',
  metadata: metadata('me'),
  spec: {
    clusterIdentity: { identity: 'cluster-1' },
    author: 'a',
    kubeconfigSecretRef: { name: 'answer', key: 'kubeconfig' },
    ttlAfterFinished: '1h',
  },
  status: { phase: 'Pending', completionTime: '2026-01-01T00:00:00Z' },
};
export const rollout = '{"steps":[{"selector":"tier=canary"},{"share":"50%"},{"selector":""}],"wait":"10m"}';

export const published = {
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: metadata('databases'),
  spec: {
    resource: { kind: 'Database', apiGroup: 'example.com', version: 'v1' },
    projection: { version: 'v1', kind: 'Base', plural: 'bases', shortNames: ['b'], categories: ['c'] },
    naming: { name: '{{ .Object.metadata.name }}-{{ .ClusterName }}', namespace: 'ns-{{ .ClusterName | sha3short }}' },
    filter: {
      namespace: { matchLabels: { a: 'b' } },
      resource: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
    },
    mutation: {
      spec: [
        { regex: { path: 'spec.size', pattern: '^s(.*)$', replacement: 'S$1' } },
        { template: { path: 'spec.name', template: '{{ .LocalObject }}' } },
        { delete: { path: 'spec.free' } },
        { cel: { path: 'spec.x', expression: 'self.spec.size' } },
      ],
      status: [],
    },
    related: [
      {
        identifier: 'creds',
        origin: 'service',
        kind: 'Secret',
        object: {
          reference: { path: 'spec.size' },
          namespace: { template: { template: '{{ .Object.metadata.namespace }}' } },
        },
        mutation: { spec: [] },
      },
    ],
  },
};
const side = {
  resource: { group: 'example.com', version: 'v1', resource: 'databases' },
  kind: 'Database',
  scope: 'Namespaced',
  subresources: ['status'],
};
export const kinds = { service: side, kcp: side };
const claim = { group: '', resource: 'secrets', all: true };
export const kcpExport = {
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIExport',
  metadata: metadata('example.com'),
  spec: { latestResourceSchemas: ['v1.databases.example.com'], permissionClaims: [claim] },
};
export const kcpExportV1alpha2 = {
  apiVersion: 'apis.kcp.io/v1alpha2',
  kind: 'APIExport',
  metadata: metadata('example.com'),
  spec: {
    resources: [{ name: 'databases', group: 'example.com', schema: 'v1.databases.example.com', storage: { crd: {} } }],
    permissionClaims: [{ ...claim, verbs: ['*'] }],
  },
};

export const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'kube-bind-x' } }],
  clusters: [
    {
      name: 'k',
      cluster: {
        server: 'https://provider:6443',
        'certificate-authority-data': 'LS0tLS1CRUdJTg==',
        'tls-server-name': 'x',
      },
    },
  ],
  users: [{ name: 'u', user: { token: 't', exec: { command: 'sh' } } }],
};
export const kubeconfigText =
  'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: &a {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: "https://p:1"}}]\nusers: [{name: u, user: {token: t}}]\n';
export const templates = [
  '{{ .Object.metadata.name }}',
  '{{ range $k, $v := .Object.spec }}{{ $k }}={{ $v | toJson }}{{ end }}',
  '{{ if eq .Object.spec.size "small" }}a{{ else }}b{{ end }}',
  '{{ repeat 100000 "x" }}',
  '{{ with .Object.spec }}{{ .size | upper | trunc 3 }}{{ end }}',
];
export const patterns = ['^(a|b)*$', '[[:alpha:]]{1,1000}', '(?i)x+?', '\\pL\\d', '(((((((((((a)))))))))))'];
export const expressions = [
  'self.spec.size',
  'self.spec.tags.all(t, t != "")',
  'has(self.spec.nope) ? 1 : 2',
  '[1, 2, 3].map(x, x * x)',
  'self.metadata.name.matches("^(a+)+$")',
  '"x" + string(9223372036854775807)',
];
export const paths = [
  'spec.size',
  'spec.tags.#',
  'spec.tags.1',
  'spec.free.deep.er.1.a',
  'metadata.annotations.hawser\\.dev/pause',
  'nope.nope',
  '@this',
  'spec.tags.#(=="a")',
];
export const list = {
  apiVersion: 'example.com/v1',
  kind: 'DatabaseList',
  metadata: { resourceVersion: '7', continue: 'x' },
  items: [database, copy],
};
export const status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code: 422,
  reason: 'Invalid',
  message: 'm',
  details: {
    name: 'n',
    group: 'g',
    kind: 'k',
    uid: 'u',
    retryAfterSeconds: 3,
    causes: [{ reason: 'r', message: 'm', field: 'spec.x' }],
  },
};
export const configuration = { roles: ['konnector'], consumer: { kubeconfig: '/k' }, konnector: {} };
